"""Starts servers for tests, and ends them with all their children."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@contextlib.contextmanager
def serving(command, folder, says, **variables):
    """Start a server and wait for its first output: its process, its output, and its
    log.
    """
    log = folder / "said.txt"
    with log.open("wb") as file:
        apart = {"start_new_session": True, "env": os.environ | variables}
        server = subprocess.Popen(
            command, cwd=folder, stdout=file, stderr=file, **apart
        )
    try:
        while not (found := re.search(says, log.read_text("utf-8"))):
            assert server.poll() is None, log.read_text("utf-8")
            time.sleep(0.2)
        yield server, found[0], log
    finally:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(300)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
