"""Evaluation databases in the shapes that older programs gave them, with random results."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

K = 32.0


class Shape(NamedTuple):
    """Statements that make tables, and those that fill them.

    Attributes:
        single: Inserts document, judge, trial, criterion and score, by name.
        pair: Inserts a, b, judge, trial and winner; ``winners`` are the words for a, b and a tie.
        rating: Inserts document and rating; None where none were stored.
    """

    tables: str
    single: str
    pair: str
    winners: tuple[str, str, str] | None
    rating: str | None = None
    start: float = 1000.0


SHAPES = {
    "llm-doc-eval": Shape(
        "CREATE TABLE single_doc_results (id INTEGER PRIMARY KEY AUTOINCREMENT, doc_id"
        " TEXT NOT NULL,"
        " model TEXT NOT NULL, trial INTEGER NOT NULL, criterion TEXT NOT NULL, score INTEGER NOT"
        " NULL, reason TEXT NOT NULL, timestamp TEXT NOT NULL);"
        "CREATE TABLE pairwise_results (id INTEGER PRIMARY KEY AUTOINCREMENT, doc_id_1"
        " TEXT NOT NULL,"
        " doc_id_2 TEXT NOT NULL, model TEXT NOT NULL, trial INTEGER NOT NULL,"
        " winner_doc_id TEXT NOT"
        " NULL, reason TEXT NOT NULL, timestamp TEXT NOT NULL);"
        "CREATE TABLE run_metadata (id INTEGER PRIMARY KEY, key TEXT UNIQUE, value TEXT,"
        " timestamp TEXT); INSERT INTO run_metadata VALUES (1, 'fpf', 'x', '2025');",
        "INSERT INTO single_doc_results (doc_id, model, trial, criterion, score, reason, timestamp)"
        " VALUES (:document, :judge, :trial, :criterion, :score, 'ok', '2025-11-16T10:00:00Z')",
        "INSERT INTO pairwise_results (doc_id_1, doc_id_2, model, trial, winner_doc_id, reason,"
        " timestamp) VALUES (:a, :b, :judge, :trial, :winner, 'ok', '2025-11-16T10:00:00Z')",
        None,
    ),
    "dimensions": Shape(
        "CREATE TABLE single_doc_results (id INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, dimension"
        " TEXT NOT NULL, score REAL, iteration INTEGER DEFAULT 0, created_at TIMESTAMP);"
        "CREATE TABLE pairwise_results (id INTEGER PRIMARY KEY, doc_a TEXT NOT NULL, doc_b TEXT NOT"
        " NULL, winner TEXT CHECK(winner IN ('A', 'B', 'tie')), iteration INTEGER DEFAULT 0,"
        " created_at TIMESTAMP);"
        "CREATE TABLE elo_ratings (doc_id TEXT PRIMARY KEY, elo_rating REAL DEFAULT 1500.0,"
        " games_played INTEGER DEFAULT 0);",
        "INSERT INTO single_doc_results (doc_id, dimension, score, iteration, created_at) VALUES"
        " (:document, :criterion, :score, :trial, '2025-11-16T10:00:00')",
        "INSERT INTO pairwise_results (doc_a, doc_b, winner, iteration, created_at) VALUES"
        " (:a, :b, :winner, :trial, '2025-11-16T10:00:00')",
        ("A", "B", "tie"),
        "INSERT INTO elo_ratings (doc_id, elo_rating) VALUES (:document, :rating)",
        1500.0,
    ),
    "second version": Shape(
        "CREATE TABLE eval_results (eval_id TEXT PRIMARY KEY, run_id TEXT, artifact_id TEXT,"
        " judge_provider TEXT, judge_model TEXT, iteration INTEGER, criteria_scores TEXT,"
        " overall_score REAL, reasoning TEXT, created_at TEXT);"
        "CREATE TABLE pairwise_comparisons (comparison_id TEXT PRIMARY KEY, run_id TEXT,"
        " artifact_a_id TEXT, artifact_b_id TEXT, judge_provider TEXT, judge_model TEXT, iteration"
        " INTEGER, winner TEXT, confidence REAL, reasoning TEXT, created_at TEXT);"
        "CREATE TABLE elo_ratings (rating_id TEXT PRIMARY KEY, run_id TEXT, artifact_id TEXT,"
        " rating REAL, games_played INTEGER);",
        "INSERT INTO eval_results (run_id, artifact_id, judge_provider, judge_model, iteration,"
        " criteria_scores, reasoning, created_at) VALUES ('R', :document, 'p', :judge, :trial,"
        " json_object(:criterion, :score), 'ok', '2025-11-16T10:00:00')",
        "INSERT INTO pairwise_comparisons (run_id, artifact_a_id, artifact_b_id, judge_provider,"
        " judge_model, iteration, winner, confidence, reasoning, created_at) VALUES ('R', :a, :b,"
        " 'p', :judge, :trial, :winner, 0.5, 'ok', '2025-11-16T10:00:00')",
        ("a", "b", "tie"),
        "INSERT INTO elo_ratings (run_id, artifact_id, rating) VALUES ('R', :document, :rating)",
        1500.0,
    ),
    "a row for each trial": Shape(
        "CREATE TABLE run_eval_scores (id INTEGER PRIMARY KEY, run_id TEXT, doc_id TEXT, criterion"
        " TEXT, judge_model TEXT, trial INTEGER, score REAL, reason TEXT,"
        " UNIQUE (run_id, doc_id, criterion, judge_model, trial));"
        "CREATE TABLE run_pairwise_results (id INTEGER PRIMARY KEY, run_id TEXT, doc_id_1 TEXT,"
        " doc_id_2 TEXT, judge_model TEXT, trial INTEGER, winner_doc_id TEXT, comparison_type TEXT,"
        " reason TEXT);",
        "INSERT INTO run_eval_scores (run_id, doc_id, criterion, judge_model, trial, score)"
        " VALUES ('R', :document, :criterion, :judge, :trial, :score)",
        "INSERT INTO run_pairwise_results (run_id, doc_id_1, doc_id_2, judge_model, trial,"
        " winner_doc_id, comparison_type) VALUES ('R', :a, :b, :judge, :trial,"
        " nullif(:winner, 'nobody'), 'pre_combine')",
        None,
    ),
    "names of documents": Shape(
        "CREATE TABLE single_doc_results (doc_name TEXT, model TEXT, judge TEXT, iteration INTEGER,"
        " criterion TEXT, score REAL);"
        "CREATE TABLE pairwise_results (doc_id_1 TEXT, doc_id_2 TEXT, judge TEXT,"
        " iteration INTEGER,"
        " winner_doc_id TEXT);",
        "INSERT INTO single_doc_results VALUES (:document, 'writer', :judge, :trial, :criterion,"
        " :score)",
        "INSERT INTO pairwise_results VALUES (:a, :b, :judge, :trial, :winner)",
        None,
    ),
}


def make(file: Path, shape: Shape, scores: int, verdicts: int, seed: int = 1) -> dict[str, float]:
    """Make a database and return the rating of each document, computed here."""
    draw = random.Random(seed)
    documents = [f"intro.fpf.{number}.m{number}.ab{number}.md" for number in range(10)]
    rated = dict.fromkeys(documents, shape.start)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(shape.tables)
        connection.executemany(
            shape.single,
            [
                {
                    "document": documents[number % 10],
                    "judge": f"openai:j{number // 10 % 2}",
                    "criterion": ("accuracy", "wit")[number // 20 % 2],
                    "trial": 1 + number // 40,
                    "score": draw.randint(1, 5),
                }
                for number in range(scores)
            ],
        )
        games = []
        for number in range(verdicts):
            a, b = draw.sample(documents, 2)
            kind = draw.randrange(3)
            words = shape.winners or (a, b, "nobody")
            games.append({"a": a, "b": b, "judge": "openai:j0", "trial": 1, "winner": words[kind]})
            share = (1.0, 0.0, 0.5)[kind]
            change = K * (share - 1 / (1 + 10 ** ((rated[b] - rated[a]) / 400)))
            rated[a] += change
            rated[b] -= change
            games[-1]["trial"] = 1 + number % 3
        connection.executemany(shape.pair, games)
        if shape.rating is not None:
            rows = [{"document": one, "rating": points} for one, points in rated.items()]
            connection.executemany(shape.rating, rows)
    return rated
