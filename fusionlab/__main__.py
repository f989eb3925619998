"""``python -m fusionlab``: the command line."""

from fusionlab.cli import main

if __name__ == "__main__":
    main(prog_name="fusionlab")
