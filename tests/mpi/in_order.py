"""Runs a job whose collective calls are recorded (call_order.cpp): in_order.py [--differs PATTERN] COMMAND...

It must end well, and the recorder must say that it saw calls, the same ones on all ranks. With --differs it must fail,
and the recorder must say what the pattern says.
"""

import os
import re
import subprocess
import sys
import tempfile

SAME = r"^call order: [1-9]\d* collective calls on \d+ communicators, the same on \d+ ranks$"


def main(words):
    differs = words[0] == "--differs"
    pattern, command = (rf"^call order: .*{words[1]}", words[2:]) if differs else (SAME, words)
    with tempfile.NamedTemporaryFile(mode="r", prefix="call-order-") as said:
        environment = os.environ | {"CALL_ORDER_SAYS": said.name}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
        )
        lines = said.read()
    sys.stdout.write(done.stdout + lines)
    told = re.search(pattern, lines, re.MULTILINE)
    print(f"exit code {done.returncode}, {'' if told else 'not '}told: {pattern}")
    return 0 if told and (done.returncode != 0) == differs else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
