"""A file system in an image file, mounted for a test, whose power can be cut."""

import ctypes
import fcntl
import os
import pathlib
import shutil
import struct
import subprocess

MAKERS = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q", "-f"]}
IMAGE_BYTES = 320 << 20
# _IOR('X', 125, u32) with 2: stop at once, and don't even write the file system's own log.
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, struct.pack("I", 2)


def why_not(kind):
    """Why this machine can't make and mount such a file system; empty where it can."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if not shutil.which(MAKERS[kind][0]):
        return f"there is no {MAKERS[kind][0]}"
    return ""


class Disk:
    """A mounted image; what was not synced when the power is cut is gone."""

    def __init__(self, kind, scratch):
        self.image, self.place = pathlib.Path(scratch, f"{kind}.image"), pathlib.Path(scratch, kind)
        self.place.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(IMAGE_BYTES)
        subprocess.run([*MAKERS[kind], str(self.image)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.mount()

    def mount(self):
        subprocess.run(["mount", "-o", "loop", str(self.image), str(self.place)], check=True)

    def unmount(self):
        subprocess.run(["umount", str(self.place)], check=True)

    def let_go(self):
        """Unmounts it for the last time, even where a process that was just killed still has a file open."""
        subprocess.run(["umount", "-l", str(self.place)], check=True)

    def cut(self):
        """Cuts the power: nothing reaches the disk from now on."""
        place = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(place, SHUTDOWN, NO_LOG_FLUSH)
        finally:
            os.close(place)


def without_sync(scratch):
    """The environment of a server whose syncs do nothing: the control that a test of syncs needs. It never ships."""
    source, library = pathlib.Path(scratch, "nosync.c"), pathlib.Path(scratch, "nosync.so")
    source.write_text("int fsync(int f) { (void)f; return 0; }\nint fdatasync(int f) { (void)f; return 0; }\n")
    subprocess.run([shutil.which("gcc") or "clang", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    ctypes.CDLL(str(library))
    return {"LD_PRELOAD": str(library)}
