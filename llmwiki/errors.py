"""The one exception that is meant for a person."""


class WikiError(Exception):
    """A request that cannot be carried out. The message is one sentence and names the cure; the shell exits with 2."""
