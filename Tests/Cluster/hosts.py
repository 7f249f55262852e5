"""The hosts of a cluster and the processes that run on them.

A host is a network namespace on a switch where the machine allows it. Everything is then reached from the switch's own namespace, in which the
program runs, and nothing touches the machine's own network. Elsewhere a host is an address of the loopback interface.
"""

import os
import signal
import subprocess
import time

def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True)


class Host:
    """An address, a directory, and the processes that were started there. Without a network of its own it cannot be cut off."""

    network = "127.77.0."
    can_be_cut = False
    hosts = []

    def __init__(self, name, number, directory):
        self.name = name
        self.address = self.network + str(number)
        self.directory = os.path.join(directory, name)
        self.processes = {}
        os.makedirs(self.directory)
        os.chmod(self.directory, 0o777)
        Host.hosts.append(self)

    def start(self, part, *command, user=None, environment=None):
        """Starts a process, whose output goes to a file of its name."""
        prefix = self.prefix()
        if user and os.geteuid() == 0:
            prefix += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        with open(os.path.join(self.directory, part + ".log"), "ab") as log:
            self.processes[part] = subprocess.Popen(
                prefix + list(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.directory,
                env={"PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": self.directory, **(environment or {})},
                start_new_session=True,
            )

    def prefix(self):
        """What runs a command on this host."""
        return []

    def pids(self):
        """The processes of this host: those that work below its directory, also when nobody here started them."""
        found = []
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.path.join(os.readlink(f"/proc/{name}/cwd"), "").startswith(self.directory + "/"):
                    found.append(int(name))
            except OSError:
                # The process has ended, or is another user's.
                pass
        return found

    def stop(self, part, number=signal.SIGTERM):
        """Ends a process and waits for it. Its exit code."""
        process = self.processes.pop(part)
        process.send_signal(number)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def signal_all(self, number):
        """Signals every process of the host."""
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """The host loses its power."""
        # A process may have started another one between the list and the signal.
        while self.pids():
            self.signal_all(signal.SIGKILL)
            # A zombie keeps its directory until somebody has waited for it.
            for process in self.processes.values():
                process.wait()
            time.sleep(0.05)
        self.processes = {}

    def remove(self):
        """Takes away what the host was made of."""


class NamespaceHost(Host):
    """A host with a network of its own: a namespace that is connected to the switch."""

    network = "10.77.0."
    can_be_cut = True

    def __init__(self, name, number, directory):
        super().__init__(name, number, directory)
        self.namespace = f"postern{os.getpid()}-{name}"
        self.cable = f"cable-{name}"
        run("ip", "netns", "add", self.namespace)
        run("ip", "link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        run("ip", "link", "set", self.cable, "master", "switch", "up")
        for command in ("addr add 127.0.0.1/8 dev lo", "link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            run("ip", "-n", self.namespace, *command.split(), check=False)

    def prefix(self):
        return ["ip", "netns", "exec", self.namespace]

    def pids(self):
        return [int(pid) for pid in run("ip", "netns", "pids", self.namespace).stdout.split()]

    def remove(self):
        run("ip", "netns", "del", self.namespace, check=False)

    def cut(self):
        """Pulls the network cable."""
        run("ip", "link", "set", self.cable, "down")

    def mend(self):
        run("ip", "link", "set", self.cable, "up")


def namespaces_work():
    """Whether this user of this machine may make networks: a namespace for the program, and in it the namespace of a host with its cable."""
    trial = (
        "ip link set lo up && ip link add switch type bridge && ip netns add $0 && "
        "ip link add cable type veth peer name eth0 netns $0; result=$?; ip netns del $0; exit $result"
    )
    try:
        command = ["unshare", "--net", "sh", "-c", trial, f"postern{os.getpid()}-trial"]
        return os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def make_switch():
    """The bridge that all hosts are connected to, in the namespace of this program."""
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "switch", "type", "bridge")
    run("ip", "addr", "add", NamespaceHost.network + "254/24", "dev", "switch")
    run("ip", "link", "set", "switch", "up")


def end_all():
    for host in Host.hosts:
        host.signal_all(signal.SIGCONT)
        host.kill()
        host.remove()
    Host.hosts = []
