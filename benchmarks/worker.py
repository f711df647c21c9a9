"""One framework in a process of its own: reads the name of a program, runs it once, writes its seconds."""

import json
import sys

from .frameworks import FRAMEWORKS
from .programs import PROGRAMS


def main(name):
    framework = FRAMEWORKS[name]()
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(PROGRAMS[line.strip()](framework)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
