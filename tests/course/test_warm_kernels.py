"""Kernels that are forks behave like others, and can be interrupted and killed."""

import time
from contextlib import contextmanager
from subprocess import DEVNULL

import pytest

from tests.support.needs import needs
from tests.support.warm_kernels import CAN_FORK, Warm

pytestmark = [needs("matplotlib", "nbval"), pytest.mark.slow]
pytestmark.append(pytest.mark.skipif(not CAN_FORK, reason="no kernel is a fork"))

# What a lesson could find different before and after importing NumPy.
ASKED = """
import os, signal, sys, warnings
modules = {name.partition(".")[0] for name in sys.modules}
apart = "JPY_", "PYDEVD_"  # its own place, and its debugger's
variables = {n: v for n, v in os.environ.items() if not n.startswith(apart)}
handlers = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGCHLD)]
print(modules & {"steps", "dezero_lite", "tests"}, "matplotlib.pyplot" in sys.modules)
print(sys.path, os.getcwd(), variables, handlers, __name__)
print(os.getpgrp() == os.getpid())
import matplotlib.pyplot as plt, multiprocessing, numpy as np
print(multiprocessing.current_process(), multiprocessing.parent_process())
print(sorted(map(str, warnings.filters)))
print(plt.get_backend(), np.ones((200, 200)) @ np.ones((200, 200)))
with open("/proc/self/maps") as maps:
    print("libraries of BLAS:", sum("blas" in line for line in maps))
"""


@contextmanager
def kernel(folder):
    from nbval.kernel import CURRENT_ENV_KERNEL_NAME, start_new_kernel

    manager, client = start_new_kernel(
        kernel_name=CURRENT_ENV_KERNEL_NAME, cwd=str(folder), stderr=DEVNULL
    )
    try:
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def said(client, code):
    texts = []
    hook = lambda message: texts.append(message["content"].get("text", ""))
    client.execute_interactive(code, output_hook=hook, timeout=60)
    return "".join(texts)


def test_a_fork_is_like_another_kernel(tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)
    with kernel(tmp_path) as (_, client):
        expected = said(client, ASKED)
    assert "module://matplotlib_inline" in expected
    warm = Warm(tmp_path)
    with kernel(tmp_path) as (_, client):
        assert said(client, ASKED) == expected
    warm.end()


def test_an_exported_backend_does_not_keep_pictures_out(tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    code, kinds = "import matplotlib.pyplot as plt, steps\nplt.plot()", []
    hook = lambda message: kinds.append(message["msg_type"])
    with kernel(tmp_path) as (_, client):
        client.execute_interactive(code, output_hook=hook, timeout=60)
    assert "display_data" in kinds


def test_forks_are_interrupted_and_killed_each_for_itself(tmp_path):
    warm = Warm(tmp_path)
    with kernel(tmp_path) as (manager, client), kernel(tmp_path) as (_, other):
        # With stop_on_error, a request that follows at once may be aborted.
        endless = "print('at it')\nwhile True:\n    pass"
        client.execute(endless, stop_on_error=False)
        while client.get_iopub_msg(timeout=60)["content"].get("text") != "at it\n":
            pass
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=60)
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        reply = client.execute_interactive("goes_on = True", timeout=60)
        assert reply["content"]["status"] == "ok"
        client.execute("import os; os._exit(1)")
        until = time.monotonic() + 60
        while manager.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        assert not manager.is_alive()
        assert said(other, "print('goes on')") == "goes on\n"
    warm.end()
