"""Hermes as a persona of Jupyter AI."""
