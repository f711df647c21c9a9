"""The one judge: a lesson's cells up to the exercise, then the attempt, then its check.

``cells`` runs one cell and says what it fails with; ``sequence`` runs those of a
lesson, attempts among them, in a process of its own; ``child`` is that process, with
its deadline and its one reader of lines, and ``__main__`` what runs in it; ``fence``
keeps what students wrote inside; ``forks`` tries many attempts at one place;
``needed`` says which cells of a lesson its exercises stand on.
"""
