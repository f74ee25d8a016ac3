"""What an import costs and brings along."""

import loadstone


def test_import_takes_less_than_150_ms_and_brings_no_numpy(python):
    spent = python("""
        import sys, time
        begin = time.process_time()
        import loadstone
        spent = time.process_time() - begin
        assert "numpy" not in sys.modules and "mpi4py" not in sys.modules
        print(spent)
    """)
    assert float(spent) < 0.150


def test_all_names_are_there_and_have_words_of_their_own():
    for name in loadstone.__all__:
        assert getattr(loadstone, name).__doc__ or name == "__version__", name


def test_version_is_text_of_three_numbers():
    assert [part.isdigit() for part in loadstone.__version__.split(".")] == [True] * 3
