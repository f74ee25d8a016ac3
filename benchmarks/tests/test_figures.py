"""From rounds to figures and verdicts (BM-6 to BM-8, BM-12, BM-21)."""

import pytest

from lib import figures


def test_quartiles_are_those_of_the_sorted_values():
    assert figures.spread([4, 1, 3, 2, 5]) == figures.Spread(2, 3, 4)
    assert figures.spread([7]) == figures.Spread(7, 7, 7)


@pytest.mark.parametrize(
    ("ceilings", "is_first", "reason"),
    [
        ((1.0, 1.0), True, "the first"),
        ((1.0, 1.25), False, ""),
        ((1.0, 1.26), False, "C1 differed by 26%"),
        ((1.26, 1.0), False, "C1 differed by 26%"),
    ],
)
def test_bm8_rounds_are_dropped_with_the_reason(make, ceilings, is_first, reason):
    assert figures.why_dropped(make.round(3, ceilings=ceilings), "C1", is_first) == reason


def test_bm16_a_round_in_the_wrong_cache_state_is_dropped(make):
    spoiled = make.round(1)
    spoiled["records"][2]["void"] = "3.00% of the pages were still cached"
    assert figures.why_dropped(spoiled, "C1", False) == "ours: 3.00% of the pages were still cached"


def test_bm8_a_round_without_its_ceiling_is_dropped(make):
    spoiled = make.round(1)
    spoiled["records"][0]["failed"] = "no answer"
    assert figures.why_dropped(spoiled, "C1", False) == "C1: no answer"


def test_bm6_the_bound_is_the_mean_of_both_ceilings_and_the_header_loop_shared_out(make):
    one = make.round(1, ceilings=(0.8, 1.0))
    cell = make.cell([one])
    assert figures.bound_seconds(cell, one, 2) == pytest.approx(0.9)
    one["records"].append(make.record("C5", 0.2))
    assert figures.bound_seconds(cell, one, 2) == pytest.approx(1.0)
    assert figures.bound_seconds(cell | {"action": "twice"}, one, 2) == pytest.approx(2.0)


def test_figures_of_a_line(make):
    judged = figures.judge(make.cell([make.round(i) for i in range(9)]), threads=2)
    ours = judged.lines[0]
    assert judged.valid == list(range(1, 9)) and judged.dropped == {0: "the first"}
    assert ours.ratio.median == pytest.approx(0.95) and ours.whole.median == pytest.approx(0.95 / 1.5)
    assert ours.peer.median == pytest.approx(1.5) and judged.best_peer == "peer" and judged.best_pattern == "pattern"
    assert ours.gigabytes_s == pytest.approx(1.0) and ours.amplification == pytest.approx(1.0)
    assert ours.cpu_per_gb == pytest.approx(0.2)  # 0.3 less the first touch of the same round
    assert ours.beyond_bytes == 20_000_000 and ours.requests == 1000
    assert judged.again == pytest.approx(1.0)


def verdict_of(make, rounds=9, **times):
    targets = times.pop("targets", None)
    cell = make.cell([make.round(i, **times) for i in range(rounds)])
    if targets:
        cell["targets"] = targets
    judged = figures.judge(cell, threads=2)
    return judged.verdict, judged.why


def test_bm21_a_win_meets_the_targets_and_beats_the_best_peer(make):
    assert verdict_of(make) == ("win", "")


def test_bm21_a_loss_says_which_target_was_missed(make):
    assert verdict_of(make, ours=1.1, again=1.1) == ("loss", "0.86 of the bound, 0.90 wanted")


@pytest.mark.parametrize(("told", "why"), [(1_009_000_000, ""), (980_000_000, "98.0%"), (1_020_000_000, "102.0%")])
def test_own_statistics_must_agree_with_the_kernel(make, told, why):
    rounds = [make.round(i) for i in range(9)]
    for one in rounds:
        figures.of(one, "ours")[0]["counts"]["bytes_read"] = told
    judged = figures.judge(make.cell(rounds), threads=2)
    assert (judged.verdict == "win") is not bool(why) and why in judged.why


def test_bm21_slower_than_the_best_peer_is_a_loss(make):
    verdict, why = verdict_of(make, peer=0.9, targets={"bound": 0.9})
    assert (verdict, why) == ("loss", "lower quartile to the best peer 0.90")


def test_bm21_within_five_percent_is_a_tie(make):
    assert verdict_of(make, peer=0.96, targets={"bound": 0.9})[0] == "tie"


def test_bm8_too_few_valid_rounds_claim_nothing(make):
    assert verdict_of(make, rounds=7) == ("noisy", "6 of 7 rounds are valid, 7 are needed")


def test_bm8_the_same_contender_twice_that_differs_voids_the_cell(make):
    assert verdict_of(make, again=1.05) == ("void", "the same contender twice differs: A/A 0.952")


def test_bm12_wrong_bytes_are_out_of_the_table_even_once(make):
    rounds = [make.round(i) for i in range(9)]
    rounds[5]["records"][5]["wrong"] = "piece 3 and 0 others"
    judged = figures.judge(make.cell(rounds), threads=2)
    assert judged.lines[3].out == "wrong bytes: piece 3 and 0 others"
    assert judged.best_peer == "" and judged.verdict == "target"


def test_bm2_who_refuses_is_listed_with_the_reason_and_never_as_zero(make):
    cell = make.cell([make.round(i) for i in range(9)])
    cell["entrants"][0]["refuses"] = "takes no memory that is already there"
    judged = figures.judge(cell, threads=2)
    assert (judged.verdict, judged.why) == ("out", "takes no memory that is already there")
    assert judged.lines[0].ratio is None


def test_w9_pieces_per_second_of_both_of_ours_are_judged(make):
    targets = {"pieces_per_s": 100_000, "python_pieces_per_s": 30_000}
    cell = make.cell([make.round(i) for i in range(9)], pieces=200_000, targets=targets)
    judged = figures.judge(cell, threads=2)
    assert judged.lines[0].pieces_s == pytest.approx(200_000) and (judged.verdict, judged.why) == ("win", "")
    cell["pieces"] = 90_000
    assert figures.judge(cell, threads=2).why == "ours 90,000 a second, 100,000 wanted"
    cell["pieces"] = 200_000
    cell["entrants"][2]["name"] = figures.PYTHON
    for one in (record for round_ in cell["rounds"] for record in round_["records"] if record["who"] == "pattern"):
        one |= {"who": figures.PYTHON, "total_s": 10.0}
    assert figures.judge(cell, threads=2).why == "loadstone Python 20,000 a second, 30,000 wanted"


def test_over_the_cap_is_a_loss_whatever_the_time(make):
    cap = 64 * 2**20
    cell = make.cell([make.round(i) for i in range(9)], cap_bytes=cap, action="stream")
    judged = figures.judge(cell, threads=2)
    assert judged.lines[0].cap_held is False and judged.verdict == "loss" and "over the cap" in judged.why
    for one in (record for round_ in cell["rounds"] for record in round_["records"]):
        one["peak_bytes"] = one["base_bytes"] + cap + 64 * 2**20
    assert figures.judge(cell, threads=2).lines[0].cap_held is True


def test_a_peer_that_broke_the_cap_is_no_best_peer(make):
    cell = make.cell([make.round(i) for i in range(9)], cap_bytes=2**30, action="stream")
    for one in (record for round_ in cell["rounds"] for record in round_["records"]):
        one["peak_bytes"] = 2**31 if one["who"] == "peer" else 2**29
    assert figures.judge(cell, threads=2).best_peer == ""


def twice(make, first, second, new):
    counts = {"staging_bytes_new": new}
    rounds = [make.round(i) for i in range(9)]
    for one in rounds:
        for record in figures.of(one, "ours") + figures.of(one, "ours (again)"):
            record |= {"stages": {"first": first, "second": second}, "counts": counts}
        one["records"] = [record for record in one["records"] if record["who"] not in ("pattern", "peer")]
    entrants = [
        {"name": n, "kind": "ours", "program": "p", "options": {}, "refuses": ""} for n in ("ours", "ours (again)")
    ]
    cell = make.cell(rounds, action="twice", entrants=entrants, targets={"second": 1.0}, beside=[])
    return figures.judge(cell, threads=2)


@pytest.mark.parametrize(
    ("second", "new", "verdict", "why"),
    [
        (0.5, 0, "target", "no peer reads this set"),
        (0.6, 0, "loss", "the second load took 1.20 of the first, 1.0 wanted"),
        (0.4, 4096, "loss", "the second load asked for 4,096 bytes of staging"),
    ],
)
def test_a_second_load_is_compared_with_the_first(make, second, new, verdict, why):
    judged = twice(make, 0.5, second, new)
    assert (judged.verdict, judged.why) == (verdict, why)
    assert judged.lines[0].second.median == pytest.approx(second / 0.5)
    assert judged.lines[0].gigabytes_s == pytest.approx(2.0), "two loads in the clock"


@pytest.mark.parametrize(("ours", "verdict"), [(1.4, "target"), (1.6, "loss")])
def test_another_axis_is_compared_with_axis_0_of_the_same_rounds(make, ours, verdict):
    rounds = [make.round(i, ours=ours, again=ours) for i in range(9)]
    for one in rounds:
        one["records"].append(make.record(figures.AXIS_0, 1.0))
    names = {"ours": "ours", "ours (again)": "ours", figures.AXIS_0: "way"}
    entrants = [{"name": n, "kind": k, "program": "p", "options": {}, "refuses": ""} for n, k in names.items()]
    judged = figures.judge(
        make.cell(rounds, ranks=2, axis=1, entrants=entrants, targets={"over_axis0": 1.5}), threads=2
    )
    assert judged.verdict == verdict and judged.lines[0].over_axis0.median == pytest.approx(ours)


def test_the_result_of_a_rank_is_its_share(make):
    whole = figures.judge(make.cell([make.round(i) for i in range(9)]), threads=2).lines[0]
    half = figures.judge(make.cell([make.round(i) for i in range(9)], ranks=2), threads=2).lines[0]
    assert half.beyond_bytes - whole.beyond_bytes == 500_000_000
