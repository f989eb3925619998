"""The stations of the data flow, in order: client, server, queue, policy, explorer, optimizer."""
