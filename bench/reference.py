"""Write the measurement that the benchmark page shows before anybody has measured there.

Run it on a quiet machine: `python -m bench.reference`.
"""

from fusionlab.bench.background import REFERENCE, Job, Jobs, State
from fusionlab.bench.model import to_json


def main() -> None:
    """Measure the plan of the page and keep the result."""
    jobs = Jobs()
    job = jobs.start("reference")
    if not isinstance(job, Job):
        raise SystemExit("measuring is switched off: unset FUSIONLAB_BENCHMARK")
    while job.status.state is State.RUNNING:
        job.wait(5)
        print(f"{job.status.done}/{job.status.total} {job.status.workload} {job.status.size}")
    measured = job.measurement()
    if measured is None:
        raise SystemExit("the worker failed: run `python -m fusionlab.bench.worker`")
    REFERENCE.parent.mkdir(exist_ok=True)
    REFERENCE.write_text(to_json(measured) + "\n", "utf-8")


if __name__ == "__main__":
    main()
