"""What several loads share: staging memory and one budget."""

import numpy as np
import pytest

import loadstone


@pytest.fixture
def wide(tmp_path):
    whole = np.arange(3000 * 200, dtype="i4").reshape(3000, 200)
    np.save(tmp_path / "shard_0.npy", whole[:1000])
    np.save(tmp_path / "shard_1.npy", whole[1000:])
    return tmp_path, whole


def test_the_second_load_takes_no_new_staging(wide):
    folder, whole = wide
    with loadstone.Context() as context:
        first, second = (loadstone.load(folder, dtype="f8", budget="4MiB", context=context) for _ in range(2))
        assert np.array_equal(first.local, whole) and np.array_equal(second.local, whole)
        assert first.stats.staging_bytes_new > 0 and second.stats.staging_bytes_new == 0
        assert context.idle_bytes == first.stats.staging_bytes_new
        batches = list(loadstone.stream(folder, batch_rows=700, dtype="f8", budget="4MiB", context=context))
        assert np.array_equal(np.concatenate(batches), whole)
    assert context.idle_bytes == 0


def test_loads_take_what_is_free_of_its_budget(wide):
    context = loadstone.Context(budget="6MiB")
    assert context.budget == 6 << 20
    assert loadstone.load(wide[0], context=context).stats.budget_bytes == 6 << 20
    with pytest.raises(loadstone.BudgetError, match="6,291,456") as caught:
        loadstone.load(wide[0], budget="8MiB", context=context)
    assert caught.value.faults[0].kind == "budget.context"


@pytest.mark.parametrize("budget", [0, -1, "much"])
def test_a_wrong_budget_is_refused(budget):
    with pytest.raises(loadstone.ArgumentError):
        loadstone.Context(budget=budget)


def test_something_else_is_refused(wide):
    with pytest.raises(loadstone.ArgumentTypeError, match="context"):
        loadstone.load(wide[0], context="shared")
