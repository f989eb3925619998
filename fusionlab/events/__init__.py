"""What happened: the facts, their log, their replay and their JSON form."""
