"""Stored runs obey the schema (BM-19); table, plot and the numbers of the README are derived from them."""

import json
from xml.etree import ElementTree

import pytest

from lib import places, plot, readme, store, table, validate

SCHEMA = json.loads(store.SCHEMA.read_text())
STORED = sorted(path.parent for path in places.RESULTS.glob("*/run.json"))


@pytest.fixture
def run(make):
    return make.run([make.cell([make.round(i) for i in range(9)])])


def test_a_run_obeys_the_schema(run):
    assert validate.faults(run, SCHEMA) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda run: run.pop("machine"), "$: 'machine' is missing"),
        (lambda run: run.update(host="x"), "$: 'host' is not known"),
        (lambda run: run["cells"][0].update(state="tepid"), "$.cells[0].state: 'tepid' is not one of ['cold', 'warm']"),
        (lambda run: run["cells"][0]["rounds"][0].update(round=-1), "$.cells[0].rounds[0].round: -1 is below 0"),
        (lambda run: run.update(quotable=1), "$.quotable: int is not boolean"),
    ],
)
def test_what_breaks_the_schema_is_named(run, change, fault):
    change(run)
    assert validate.faults(run, SCHEMA) == [fault]


def test_the_table_states_ratios_with_quartiles_and_why_rounds_were_dropped(run):
    text = table.render(run)
    assert "| ours | 0.95 (0.95-0.95) | 0.63 (0.63-0.63) | 1.50 (1.50-1.50) | 1.00 | 1.000 | 1,000 |" in text
    assert "**win**" in text and "- round 0 dropped: the first" in text and "**binds**" in text


def test_the_table_counts_tensors_where_they_are_the_target(run):
    run["cells"][0] |= {"pieces": 200_000, "targets": {"pieces_per_s": 100_000}}
    text = table.render(run)
    assert "| GB/s | tensors/s | read / wanted |" in text and "| 1.00 | 200,000 | 1.000 | 1,000 |" in text


def test_the_table_names_who_is_out_below(run):
    run["cells"][0]["entrants"][3]["refuses"] = "reads no such thing"
    text = table.render(run)
    assert "- peer: reads no such thing" in text and "| peer | 0" not in text


def test_a_run_that_must_not_be_quoted_says_so_first(run):
    run |= {"quotable": False, "not_quotable_because": ["other processes were busy: cc 90%"]}
    assert "**Not quotable**: other processes were busy" in table.render(run).split("##")[0]
    assert readme.numbers(run, "x") == "No run is quotable yet: other processes were busy: cc 90%.\n"


def test_the_plot_is_svg_with_a_bar_a_contender(run):
    root = ElementTree.fromstring(plot.render(run))
    bars = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("fill") in plot.COLOURS.values()]
    assert len(bars) == 4


def test_rows_merge_into_one_run(run, make, tmp_path):
    store.save(tmp_path / "run", run)
    again = store.load(tmp_path / "run")
    store.put_cell(again, make.cell([make.round(0)]))
    store.put_cell(again, make.cell([make.round(0)], name="W0/C"))
    assert [(cell["name"], len(cell["rounds"])) for cell in again["cells"]] == [("W0/C", 1), ("W1/C", 1)]


def test_a_run_that_breaks_the_schema_is_not_stored(run, tmp_path):
    run["scale"] = "small"
    with pytest.raises(SystemExit, match="does not obey"):
        store.save(tmp_path / "run", run)
    assert not (tmp_path / "run").exists()


def test_the_numbers_are_written_between_the_marks_alone(run, tmp_path):
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- numbers: none -->\n<!-- /numbers -->\nafter\n")
    folder = tmp_path / "2026-01-31_a"
    readme.write(run, folder, page)
    once = page.read_text()
    readme.write(run, folder, page)
    assert page.read_text() == once
    assert once.startswith("before\n<!-- numbers: 2026-01-31_a -->\n") and once.endswith("<!-- /numbers -->\nafter\n")
    assert readme.stated(page) == ("2026-01-31_a", readme.numbers(run, "2026-01-31_a"))


# ---- what this checkout holds ----------------------------------------------------------------------------------------


def test_bm19_every_stored_run_obeys_the_schema_and_its_table_is_derived():
    for folder in STORED:
        run = store.load(folder)
        assert (folder / "table.md").read_text() == table.render(run), folder.name
        assert (folder / "plot.svg").read_text() == plot.render(run), folder.name


def test_bm19_the_numbers_of_the_readme_are_those_of_the_run_it_names():
    name, text = readme.stated()
    wanted = "" if name == readme.NO_RUN else readme.numbers(store.load(places.RESULTS / name), name)
    assert text == wanted
