"""What an op is: tensors, operations, and the table of every op kind."""
