"""What stands in the way of a verdict, and is not the candidate's doing."""

from __future__ import annotations


class Error(Exception):
    """Why there is no verdict, and in `next` what to do. A wrong kernel has a verdict."""

    def __init__(self, message: str, next: str) -> None:
        super().__init__(message, next)
        self.message = message
        self.next = next

    def __str__(self) -> str:
        return f"{self.message}\n  next: {self.next}"
