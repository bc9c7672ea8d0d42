"""Logind and systemd as far as a graceful shutdown and cgroups need them, on the bus of DBUS_SYSTEM_BUS_ADDRESS.

A unit is really started, so that a real systemd-inhibit takes a real lock: a descriptor that ends with its process.
Commands come on standard input: `prepare true|false` (a shutdown begins or is called off), `forge` (a signal
without a shutdown), `stopping` (logind has handed over), `stranger` (a signal of another process), `hold` and `go`
(systemd lets wait who asks for its state, until then), `long` (a signal that no client reads). Standard output has one line per thing that happens.
"""
import os
import signal
import subprocess
import sys

import dbus
import dbus.bus
import dbus.lowlevel
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

OVERRIDE, DELAY_SECONDS = sys.argv[1], int(sys.argv[2])
LOGIND, SYSTEMD = "org.freedesktop.login1", "org.freedesktop.systemd1"
PROPERTIES = "org.freedesktop.DBus.Properties"
DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()


def say(text):
    print(text, flush=True)


def plain(value):
    """With its type, where that says something."""
    if isinstance(value, (dbus.Array, list)):
        return "%s[%s]" % (value.signature, ",".join(str(one if isinstance(one, str) else int(one)) for one in value))
    return "%s:%s" % (type(value).__name__, value)


class Failure(dbus.DBusException):
    def __init__(self, name, text):
        super().__init__(text)
        self._dbus_error_name = name


class Logind(dbus.service.Object):
    delay = DELAY_SECONDS * 1_000_000
    preparing = False
    locks = {}

    @dbus.service.method(LOGIND + ".Manager", in_signature="ssss", out_signature="h", sender_keyword="sender")
    def Inhibit(self, what, who, why, mode, sender):
        daemon = dbus.Interface(bus.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus")
        pid = int(daemon.GetConnectionUnixProcessID(sender))
        ours, theirs = os.pipe()
        self.locks[ours] = (what, who, why, mode, dbus.UInt32(0), dbus.UInt32(pid))
        GLib.io_add_watch(ours, GLib.IO_HUP, self.released)
        handed = dbus.types.UnixFd(theirs)
        os.close(theirs)
        say("locked " + why)
        return handed

    def released(self, ours, _condition):
        del self.locks[ours]
        os.close(ours)
        say("released")
        return False

    @dbus.service.method(LOGIND + ".Manager", out_signature="a(ssssuu)")
    def ListInhibitors(self):
        return dbus.Array(self.locks.values(), signature="(ssssuu)")

    @dbus.service.signal(LOGIND + ".Manager", signature="b")
    def PrepareForShutdown(self, active):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return {"InhibitDelayMaxUSec": dbus.UInt64(self.delay), "PreparingForShutdown": dbus.Boolean(self.preparing)}[name]


class Systemd(dbus.service.Object):
    state = "running"
    units = {}
    slices = {}
    held = None

    def change(self, unit, properties):
        say("%s %s" % (unit, " ".join("%s=%s" % (name, plain(value)) for name, value in properties)))

    @dbus.service.method(SYSTEMD + ".Manager", in_signature="sba(sv)")
    def SetUnitProperties(self, unit, _runtime, properties):
        self.change(unit, properties)

    def path_of(self, unit):
        escaped = "".join(c if c.isalnum() else "_%02x" % ord(c) for c in unit)
        return dbus.ObjectPath("/org/freedesktop/systemd1/unit/" + escaped)

    @dbus.service.method(SYSTEMD + ".Manager", in_signature="ssa(sv)a(sa(sv))", out_signature="o")
    def StartTransientUnit(self, unit, _mode, properties, _aux):
        if unit in self.units and self.units[unit].poll() is None:
            raise Failure(SYSTEMD + ".UnitExists", "Unit %s already exists." % unit)
        known = {str(name): value for name, value in properties}
        if str(unit).endswith(".slice"):
            self.change(unit, properties)
            self.slices[self.path_of(unit)] = "active"
            return dbus.ObjectPath("/job/3")
        program, argv, _ignore = known["ExecStart"][0]
        say("start %s %s %s" % (unit, known["Restart"], int(known["RestartUSec"])))
        self.units[unit] = subprocess.Popen([str(a) for a in argv], executable=str(program), start_new_session=True)
        return dbus.ObjectPath("/job/1")

    @dbus.service.method(SYSTEMD + ".Manager", in_signature="ss", out_signature="o")
    def StopUnit(self, unit, _mode):
        if self.slices.pop(self.path_of(unit), None):
            return dbus.ObjectPath("/job/4")
        if unit not in self.units or self.units[unit].poll() is not None:
            raise Failure(SYSTEMD + ".NoSuchUnit", "Unit %s not loaded." % unit)
        os.killpg(self.units[unit].pid, signal.SIGTERM)
        return dbus.ObjectPath("/job/2")

    @dbus.service.method(SYSTEMD + ".Manager", in_signature="u", out_signature="o")
    def GetUnitByPID(self, pid):
        for unit, process in self.units.items():
            if process.pid == pid:
                return self.path_of(unit)
        raise Failure(SYSTEMD + ".NoUnitForPID", "PID %d does not belong to any loaded unit." % pid)

    @dbus.service.method(SYSTEMD + ".Manager", in_signature="ssi")
    def KillUnit(self, unit, who, number):
        say("kill %s %s %d" % (unit, who, number))
        with open(OVERRIDE) as file:
            settings = dict(line.strip().split("=") for line in file if "=" in line)
        logind.delay = int(settings["InhibitDelayMaxSec"]) * 1_000_000

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v", async_callbacks=("reply", "fail"))
    def Get(self, _interface, name, reply, fail):
        value = {"SystemState": self.state, "Version": "252.38-1~deb12u1"}[name]
        if self.held is None:
            reply(value)
        else:
            self.held.append(lambda: reply(value))
            say("held")

    def go(self):
        held, self.held = self.held, None
        for answer in held:
            answer()


class Units(dbus.service.FallbackObject):
    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v", path_keyword="path")
    def Get(self, _interface, name, path):
        return {"ActiveState": systemd.slices.get(path, "inactive")}[name]


def send_signal(sender, value):
    message = dbus.lowlevel.SignalMessage("/org/freedesktop/login1", LOGIND + ".Manager", "PrepareForShutdown")
    message.append(value)
    sender.send_message(message)
    sender.flush()


def command(_source, _condition):
    line = sys.stdin.readline().split()
    if not line:
        for process in systemd.units.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        loop.quit()
        return False
    if line[0] == "prepare":
        logind.preparing = line[1] == "true"
        logind.PrepareForShutdown(logind.preparing)
    elif line[0] == "forge":
        logind.PrepareForShutdown(True)
    elif line[0] == "stopping":
        logind.preparing, systemd.state = False, "stopping"
    elif line[0] == "stranger":
        stranger = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
        send_signal(stranger, True)
        stranger.close()
    elif line[0] == "hold":
        systemd.held = []
    elif line[0] == "go":
        systemd.go()
    elif line[0] == "long":
        send_signal(bus, "x" * 2 * 1024**2)
    say("did " + line[0])
    return True


names = [dbus.service.BusName(LOGIND, bus), dbus.service.BusName(SYSTEMD, bus)]
logind = Logind(bus, "/org/freedesktop/login1")
systemd = Systemd(bus, "/org/freedesktop/systemd1")
units = Units(bus, "/org/freedesktop/systemd1/unit")
loop = GLib.MainLoop()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
say("ready")
loop.run()
