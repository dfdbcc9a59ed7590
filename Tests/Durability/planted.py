#!/usr/bin/env python3
"""Plants bugs, one after the other, in a copy of the source, and says which test catches each.

Each is a patch in the folder planted, and each is caught by a script of this folder or by a suite of the Swift tests. A bug that
nothing catches is a fault of the tests. Needs minutes for each: every bug is a build.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ORDER, DAMAGE = ["order_of_syncs.py"], ["damage.py", "--damages", "300"]
JOURNALING = ["JournalingTests"]


def failing(part, *more):
    return ["failing_disk.py", "--only", part, *more]


# Each bug, and what must catch it: a script with its options, or a suite of Swift tests.
BUGS = {
    "skipped-sync": ORDER,
    "unsynced-directory": ORDER,
    "renamed-before-synced": ORDER,
    "page-cache-believed": ORDER,
    "reply-before-write": ["kill_loop.py", "--kills", "25"],
    "visible-before-durable": failing("full_disk"),
    "sync-tried-again": failing("fail_calls", "--call", "fdatasync", "--lives", "0"),
    "short-write-taken-for-whole": failing("short_steps"),
    "missing-taken-for-empty": failing("refuse"),
    "lock-not-taken": failing("refuse"),
    "newer-version-read": failing("refuse"),
    "other-store-read": failing("refuse"),
    "ignored-frame-checksum": DAMAGE,
    "damage-taken-for-torn": DAMAGE,
    "never-sealed": JOURNALING,
    "ignored-block-checksum": JOURNALING,
    "ignored-header-checksum": JOURNALING,
    "torn-tail-appended-over": JOURNALING,
    "torn-tail-not-kept": JOURNALING,
    "pruned-too-early": JOURNALING,
    "one-generation": JOURNALING,
    "not-cut-back": JOURNALING,
}


def caught(tree, name, catcher):
    """Whether the catcher fails on a tree that holds the bug, and what it said; None where the bug can't be built."""
    is_script = catcher[0].endswith(".py")
    build = ["swift", "build", "-c", "release", "--product", "latchkey"] if is_script else ["swift", "build", "--build-tests"]
    built = subprocess.run(build, cwd=tree, capture_output=True, text=True)
    if built.returncode:
        return None, built.stdout[-500:]
    if is_script:
        words = [sys.executable, str(HERE / catcher[0]), "--binary", f"{tree}/.build/release/latchkey", *catcher[1:]]
    else:
        words = ["swift", "test", "--skip-build", "--filter", catcher[0]]
    try:
        run = subprocess.run(words, cwd=tree, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return True, "it did not end"
    # A script ends with 77 where it was skipped, which catches nothing.
    lines = [line for line in (run.stdout + run.stderr).splitlines() if line.startswith(("FAULT", "✘")) or "Error" in line]
    return run.returncode not in (0, 77), (lines or ["nothing"])[0][:160]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help="the bugs to plant; all unless told")
    parser.add_argument("--tree", help="a folder that is kept, so that later runs build less")
    given = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(prefix="latchkey-planted-") as scratch:
        tree = pathlib.Path(given.tree or scratch)
        tree.mkdir(exist_ok=True)
        files = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=files, check=True)
        for name in given.names or BUGS:
            patch = ["patch", "-p1", "-s", "-i", str(HERE / "planted" / f"{name}.patch")]
            subprocess.run(patch, cwd=tree, check=True)
            found, said = caught(tree, name, BUGS[name])
            subprocess.run([*patch, "-R"], cwd=tree, check=True)
            verdict = {True: "caught by", False: "MISSED by", None: "not built for"}[found]
            missed += found is not True
            print(f"{name}: {verdict} {' '.join(BUGS[name])}: {said}", flush=True)
    print(f"{len(given.names or BUGS)} bugs planted, {missed} not caught")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
