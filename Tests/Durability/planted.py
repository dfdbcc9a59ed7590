#!/usr/bin/env python3
"""Plants bugs, one after the other, in a copy of the source, and says which test catches each, and for which reason.

Each is a patch in the folder planted, and each is caught by a script of this folder or by a suite of the Swift tests. Caught is
a bug only where it was built, and what must catch it says what is wrong in the words that are listed here: a FAULT of a script,
or the name of a Swift test that failed. A script that stumbles, or a test that fails for another reason, has caught nothing. A
bug that nothing catches is a fault of the tests. Needs minutes for each: every bug is a build.
"""

import argparse
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

from server import end_in_order

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIMIT_SECONDS = 900


def order(fault):
    return ["order_of_syncs.py"], fault


def failing(part, fault, *more):
    return ["failing_disk.py", "--only", part, *more], fault


def damage(fault, count=300):
    return ["damage.py", "--damages", str(count)], fault


def swift(suite, test):
    return [suite], test


# Each bug: what must catch it, a script with its options or a suite of Swift tests, and the words that tell it.
BUGS = {
    "skipped-sync": order("the journal was not synced before"),
    "unsynced-directory": order("the directory was not synced before"),
    "renamed-before-synced": order("renamed before it was synced"),
    "page-cache-believed": order("read before it was synced"),
    "reply-before-write": (["kill_loop.py", "--kills", "25"], "acknowledged"),
    "cascade-in-two-records": (["kill_loop.py", "--kills", "100"], "answers"),
    "visible-before-durable": failing("full_disk", "stored is version"),
    "sync-tried-again": failing("fail_calls", "went on after a sync of the journal failed", "--call", "fdatasync", "--lives", "0"),
    "short-write-taken-for-whole": failing("short_steps", "a snapshot by halves"),
    "missing-taken-for-empty": failing("refuse", "missing_segment"),
    "lock-not-taken": failing("refuse", "lock_held: the store was accepted"),
    "newer-version-read": failing("refuse", "newer_segment"),
    "other-store-read": failing("refuse", "segment_of_another_store"),
    "ignored-frame-checksum": damage("stored is version"),
    "damage-taken-for-torn": damage("stored is version"),
    "never-sealed": swift("JournalingTests.DamageTests", "Every flipped bit of a sealed journal is refused"),
    "ignored-block-checksum": swift("JournalingTests.SnapshotTests", "Every flipped bit and every truncation of a snapshot"),
    "ignored-header-checksum": swift("JournalingTests.DamageTests", "Every flipped bit of a manifest is found"),
    "torn-tail-appended-over": swift("JournalingTests.DamageTests", "An unfinished write is cut off, kept, and reported once"),
    "torn-tail-not-kept": swift("JournalingTests.DamageTests", "An unfinished write is cut off, kept, and reported once"),
    "pruned-too-early": swift("JournalingTests.SnapshotTests", "Two snapshots stay, with the journal from the older one on"),
    "one-generation": swift("JournalingTests.SnapshotTests", "Two snapshots stay, with the journal from the older one on"),
    "not-cut-back": swift("JournalingTests.FullDiskTests", "Of a write that found room for its beginning only"),
    "ignored-digest": swift("JournalingTests.DigestTests", "A replay that gives another state is refused"),
    "ignored-complete-revision": swift("JournalingTests.LostEndTests", "Once its end is noted, every cut"),
    "changed-value-not-kept": swift("StorageTests.SnapshotSweepTests", "A sweep between whose parts anything is recorded"),
    "boundary-skipped": swift("StorageTests.ReplayedWatchTests", "After a restart the rest follows every position exactly"),
    "acknowledged-before-applied": swift("StorageTests.RecorderTests", "Whoever is told of a recording finds it in the answers"),
}


def update(tree):
    """Makes a folder hold the source as it was committed last, and leaves files alone that are the same, so that less is built."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for entry in files.getmembers():
            path = tree / entry.name
            if entry.isdir():
                path.mkdir(exist_ok=True)
            elif entry.isfile() and not (path.is_file() and path.read_bytes() == files.extractfile(entry).read()):
                path.write_bytes(files.extractfile(entry).read())
                path.chmod(entry.mode)


def caught(tree, catcher, reason, environment):
    """Whether the catcher tells the reason on a tree that holds the bug, and what it said; None where the bug can't be built."""
    is_script = catcher[0].endswith(".py")
    build = ["swift", "build", "-c", "release", "--product", "latchkey"] if is_script else ["swift", "build", "--build-tests"]
    built = subprocess.run(build, cwd=tree, capture_output=True, text=True)
    if built.returncode:
        return None, built.stdout[-500:]
    if is_script:
        words = [sys.executable, str(HERE / catcher[0]), "--binary", f"{tree}/.build/release/latchkey", *catcher[1:]]
    else:
        words = ["swift", "test", "--skip-build", "--filter", f"^{catcher[0]}/"]
    status, said = outcome(words, tree, environment)
    if status is None:
        return False, "it did not end"
    faults = [line for line in said if line.startswith("FAULT: " if is_script else "✘ Test ")]
    told = [line for line in faults if reason in line]
    return bool(status and told), (told or faults or said or ["nothing"])[0 if faults else -1][:160]


def outcome(words, tree, environment):
    """The status of a catcher and the lines that it printed; no status where it took too long.

    A catcher that is not waited for to its end is told to end, so that it takes its own disks and servers with it.
    """
    with subprocess.Popen(words, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | environment) as catcher:
        try:
            said, _ = catcher.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            catcher.terminate()
            return None, []
        except BaseException:
            catcher.terminate()
            raise
    return catcher.returncode, said.splitlines()


def small_disks(scratch):
    """The environment that lets the Swift tests fill up a disk, where this machine lets us mount one; see Tests/run."""
    place = pathlib.Path(scratch, "journaling")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "latchkey", str(place)]
    mounted = subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0
    return {"LATCHKEY_SMALL_DISKS": scratch} if mounted else {}


def plant(name, tree, *options):
    """Applies a bug's patch to a tree; gives whether it fits."""
    words = ["patch", "-p1", "-s", *options, "-i", str(HERE / "planted" / f"{name}.patch")]
    return subprocess.run(words, cwd=tree, stdout=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="the bugs to plant; all unless told")
    parser.add_argument("--tree", help="a folder that is kept, so that later runs build less")
    parser.add_argument("--fits", action="store_true", help="only tells which bugs don't fit the source any more")
    given = parser.parse_args()
    if given.fits:
        strange = [name for name in given.names or BUGS if not plant(name, ROOT, "--dry-run")]
        print("".join(f"{name} doesn't fit the source any more\n" for name in strange), end="")
        sys.exit(1 if strange else 0)
    end_in_order()
    missed = 0
    with tempfile.TemporaryDirectory(prefix="latchkey-planted-") as scratch, \
            tempfile.TemporaryDirectory(prefix="latchkey-disks-") as disks:
        environment = small_disks(disks)
        tree = pathlib.Path(given.tree or scratch)
        tree.mkdir(exist_ok=True)
        try:
            for name in given.names or BUGS:
                update(tree)
                if not plant(name, tree, "--no-backup-if-mismatch"):
                    sys.exit(f"{name} doesn't fit the source any more")
                found, said = caught(tree, *BUGS[name], environment)
                verdict = {True: "caught by", False: "MISSED by", None: "not built for"}[found]
                missed += found is not True
                print(f"{name}: {verdict} {' '.join(BUGS[name][0])}: {said}", flush=True)
            update(tree)
        finally:
            if environment:
                subprocess.run(["umount", "-l", f"{disks}/journaling"], check=True)
    print(f"{len(given.names or BUGS)} bugs planted, {missed} not caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
