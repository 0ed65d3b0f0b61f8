"""Child processes: start one, speak JSON lines with it, bound it, end it with all its descendants.

Used by foreign generators (GPT Researcher), an external FilePromptForge and code submissions.
``child.run`` is the entry; ``supervisor.py`` is the small program between this process and the
child that makes sure nothing of the child outlives it.
"""
