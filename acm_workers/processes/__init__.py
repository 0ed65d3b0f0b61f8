"""Child processes: start, exchange of JSON lines, limits, and end with all descendants.

External generators (GPT Researcher, FilePromptForge) and code submissions run as children.
``child.run`` is the entry point. ``supervisor.py`` is the small program between this process and
the child; it makes sure that no descendant of the child outlives the child.
"""
