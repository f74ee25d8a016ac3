"""T30: Ctrl-C and other exceptions of signal handlers and callbacks stop a long call at once."""

import pytest

CALLS = {
    "load": "loadstone.load(path, rows=(0, 400_000))",
    "load with a cast": "loadstone.load(path, rows=(0, 400_000), dtype='f8', budget='16MiB')",
    "verify": "loadstone.verify(path, write_manifest=True)",
    "stream": "next(loadstone.stream(path, batch_rows=400_000))",
}


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_call_with_keyboard_interrupt(python, sparse, name):
    python(
        """
        import signal, sys, time
        import loadstone
        path = sys.argv[1]
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        begin = time.monotonic()
        try:
            eval(sys.argv[2])
        except KeyboardInterrupt as error:
            assert isinstance(error, loadstone.Interrupted) and error.code == "cancelled", repr(error)
        else:
            raise SystemExit("nothing was raised")
        assert time.monotonic() - begin < 5
        """,
        sparse,
        CALLS[name],
    )


def test_the_exception_of_a_handler_comes_through(python, sparse):
    python(
        """
        import signal, sys
        import loadstone

        class Late(Exception):
            pass

        def handler(number, frame):
            raise Late

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            loadstone.verify(sys.argv[1], write_manifest=True)
        except Late:
            sys.exit(0)
        sys.exit(1)
        """,
        sparse,
    )


def test_a_handler_that_raises_nothing_stops_nothing(python, run42):
    python(
        """
        import os, signal, sys
        import loadstone
        seen = []
        signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        os.kill(os.getpid(), signal.SIGINT)
        assert loadstone.load(sys.argv[1]).shape == (17, 5) and seen == [signal.SIGINT]
        """,
        run42,
    )


def test_the_exception_of_a_progress_callback_stops_the_call(python, sparse):
    python(
        """
        import sys
        import loadstone

        class Enough(Exception):
            pass

        def progress(state):
            raise Enough

        try:
            loadstone.verify(sys.argv[1], write_manifest=True, progress=progress)
        except Enough:
            sys.exit(0)
        sys.exit(1)
        """,
        sparse,
    )


def test_other_threads_run_meanwhile(python, sparse):
    """The interpreter lock is released: a second thread counts while the first one reads."""
    python(
        """
        import signal, sys, threading
        import loadstone
        counted, done = [0], threading.Event()

        def count():
            while not done.wait(0.001):
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            loadstone.verify(sys.argv[1], write_manifest=True)
        except KeyboardInterrupt:
            pass
        seen = counted[0]
        done.set()
        thread.join()
        assert seen > 20, seen
        """,
        sparse,
    )


@pytest.mark.parametrize(
    "call", ["load(path)", "open(path)", "plan(path, ranks=100)", "verify(path)", "stream(path, batch_rows=5)"]
)
def test_daemon_threads_inside_a_call_do_not_abort_the_end_of_the_interpreter(python, run42, call):
    source = f"""
        import sys, threading, time
        import loadstone
        path = sys.argv[1]
        def work():
            while True:
                for _ in (lambda made: made if hasattr(made, "__next__") else [])(loadstone.{call}):
                    pass
        for _ in range(3):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.1)
    """
    for _ in range(5):
        python(source, run42)


def test_a_long_load_of_a_daemon_thread_is_stopped_by_the_end_of_the_interpreter(python, sparse):
    python(
        """
        import sys, threading, time
        import loadstone
        threading.Thread(target=loadstone.load, args=(sys.argv[1],), kwargs={"io_direct": "on"}, daemon=True).start()
        time.sleep(0.3)
        """,
        sparse,
    )
