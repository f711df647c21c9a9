"""Kernels that start faster: forks of a process that has imported what lessons import.

A kernel needs most of a second of processor time before its first cell. Nothing of the
project is imported here, and neither is pyplot, which looks for its kernel on import.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cached_property

from jupyter_client.provisioning import local_provisioner

# nbval does not compare the bytes of a picture, so small ones suffice, drawn once,
# without extra passes to find the edges or to arrange the content.
SMALL = "--InlineBackend.print_figure_kwargs={'bbox_inches': None, 'dpi': 20}"
CAN_FORK = sys.platform == "linux"
launch_kernel = local_provisioner.launch_kernel


class Kernel:
    """A fork, with the interface of `Popen` that jupyter_client uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid):
        self.pid = pid

    def poll(self):
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll  # it is called once that has ended

    def send_signal(self, number):
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


class Warm:
    """Start the kernels of a folder instead of `launch_kernel`, until `end` is
    called.
    """

    def __init__(self, folder):
        self._folder = str(folder)
        local_provisioner.launch_kernel = self._launch

    @cached_property
    def _server(self):
        # What NumPy reads on import, above all the number of threads, is the same in
        # this process as in the kernels.
        command = [sys.executable, __file__]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, start_new_session=True, **pipes)

    def _launch(self, command, cwd=None, env=None, **others):
        if cwd != self._folder:
            return launch_kernel(command, cwd=cwd, env=env, **others)
        task = command[command.index("-f") :], cwd, dict(env)
        print(json.dumps(task), file=self._server.stdin, flush=True)
        return Kernel(int(self._server.stdout.readline()))

    def end(self):
        local_provisioner.launch_kernel = launch_kernel
        if "_server" in vars(self):
            self._server.communicate()


def serve():
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    sys.modules["debugpy"] = None  # takes longer than all the rest, and nobody debugs
    import ipykernel.kernelapp
    import matplotlib.backends.backend_agg
    import matplotlib.figure  # noqa: F401
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    ConstrainedLayoutEngine.execute = lambda *_: None
    # The garbage collector need not scan objects from before a kernel's start.
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    for task in sys.stdin:
        pid = os.fork()
        if not pid:
            return begin(ipykernel.kernelapp, *json.loads(task))
        os.setpgid(pid, pid)  # a signal to its group is for this kernel only
        print(pid, flush=True)


def begin(kernelapp, arguments, folder, environment):
    """Act as a kernel, which ends with the process that it was forked from."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for stream in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    del sys.path[0]
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"
    kernelapp.launch_new_instance([*arguments, parent, SMALL])


if __name__ == "__main__":
    serve()
