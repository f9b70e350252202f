"""The doors to the network: who may come in, how much at once, and what happens after the answer left."""
