"""What is asynchronous by nature: the only place in the core with an event loop."""
