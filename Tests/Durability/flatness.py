"""What a server takes of the machine while it lives, and whether that grows."""

import os
import pathlib
import statistics
from dataclasses import dataclass


@dataclass
class Measure:
    """Something that is flat while it grows by no more than a share of itself and an amount together."""

    name: str
    share: float
    amount: float
    format: str

    def told(self, value):
        """A value in words."""
        return f"{self.name} {self.format.format(value)}"

    def grew(self, earlier, later):
        """Whether it isn't flat."""
        return later > earlier * (1 + self.share) + self.amount


MIB = 1 << 20
# A snapshot that is being written has a descriptor, a thread and a file of its own.
MEASURES = (Measure("memory", 0.1, 2 * MIB, "{:,.0f} bytes"), Measure("descriptors", 0, 1, "{:g}"),
            Measure("threads", 0, 1, "{:g}"), Measure("files", 0, 1, "{:g}"), Measure("stored", 0.1, MIB, "{:,.0f} bytes"))
# Told of each life, but not compared: a busy machine makes a start as long as it likes.
START = Measure("start", 0, 0, "{:.2f} s")
# What a start takes of the processor, which depends on the store.
STARTING = Measure("its processor time", 0.25, 0.1, "{:.2f} s")


def status(server):
    """What the kernel says of a process, by name."""
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return dict(line.split(":", 1) for line in text.splitlines())


def resident_bytes(said):
    """How much memory a process has in use, of what the kernel said."""
    return int(said["VmRSS"].split()[0]) << 10


def sample(server):
    """What the process and its data directory take now, by the measures' names; None where the server is gone."""
    process = pathlib.Path(f"/proc/{server.process.pid}")
    try:
        said = status(server)
        descriptors = len(os.listdir(process / "fd"))
        files = [entry.stat().st_size for entry in os.scandir(server.data)]
        return {"memory": resident_bytes(said), "threads": int(said["Threads"]), "descriptors": descriptors,
                "files": len(files), "stored": sum(files)}
    except (FileNotFoundError, KeyError):  # The process has ended, or a file went before its size was asked for.
        return sample(server) if server.process.poll() is None else None


def processor_seconds(server):
    """How much of the processor it has taken up to now."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def medians(samples):
    """The median of each measure that is sampled."""
    return {measure.name: _median(samples, measure) for measure in MEASURES}


def told(values):
    """The values of a sample, or of a life, in words."""
    return "; ".join(measure.told(values[measure.name]) for measure in (*MEASURES, START, STARTING) if measure.name in values)


def compare(what, earlier, later, measures=MEASURES):
    """Compares the medians of two lists of samples; gives a line for each measure, and those about measures that grew."""
    lines, faults = [], []
    for measure in measures:
        before, after = _median(earlier, measure), _median(later, measure)
        line = f"{what}: {measure.told(before)}, then {measure.format.format(after)}"
        if measure.grew(before, after):
            faults.append(line)
        lines.append(f"{line}: {'grew' if measure.grew(before, after) else 'flat'}")
    return lines, faults


def _median(samples, measure):
    return statistics.median(sample[measure.name] for sample in samples)
