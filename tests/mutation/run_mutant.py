"""Run the recorded programs on a mutant: `python -m mutation.run_mutant 7`.

Prints the first difference and exits with 1 when a recorded program tells the mutant from burn,
with 0 when none does. Without a number the engine itself runs.
"""

import sys
from importlib.abc import SourceLoader
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType

from mutation.mutants import MUTANTS, Mutant


class MutantLoader(SourceFileLoader):
    """Loads one module with one piece of its source changed."""

    def __init__(self, fullname: str, path: str, mutant: Mutant) -> None:
        super().__init__(fullname, path)
        self.mutant = mutant

    def get_code(self, _: str) -> CodeType:
        source = self.get_data(self.path).decode()
        assert source.count(self.mutant.old) == 1, f"{self.mutant.module}: the rule is not there"
        return self.source_to_code(source.replace(self.mutant.old, self.mutant.new), self.path)


class MutantFinder(PathFinder):
    """Finds the mutant's module; everything else is found as always."""

    mutant: Mutant

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        spec = super().find_spec(fullname, path, target)
        if spec is not None and fullname == f"fusionlab.{cls.mutant.module.replace('/', '.')}":
            assert isinstance(spec.loader, SourceLoader)
            spec.loader = MutantLoader(fullname, spec.origin, cls.mutant)
        return spec


def main(arguments: list[str]) -> int:
    if arguments:
        MutantFinder.mutant = MUTANTS[int(arguments[0])]
        sys.meta_path.insert(0, MutantFinder)
    from conformance.corpus import explain, sample  # noqa: PLC0415

    from fusionlab.conformance import run_program  # noqa: PLC0415 -- the finder comes first

    for program in sample():
        try:
            said = explain(program, run_program(program.program))
        except Exception as error:  # noqa: BLE001 -- a mutant may break anywhere
            said = f"{program.label}: {type(error).__name__}: {error}"
        if said:
            print(said)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
