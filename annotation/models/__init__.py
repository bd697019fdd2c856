"""What is stored about the work itself: who judges what, under which rules."""

from annotation.models.accounts import AccountName
from annotation.models.adjudication import Claim, Comment, Resolution
from annotation.models.annotations import AnnotationEvent, QuestionAnnotation, TypeAnnotation
from annotation.models.imports import Upload
from annotation.models.items import Import, Item, Question
from annotation.models.matching import MatchReference, ReferenceLeftOut
from annotation.models.project import Codebook, Invitation, Membership, Project, ProjectEvent, Protocol
from annotation.models.rounds import Assignment, Round, RoundItem, RoundProgress, RoundQuestion
from annotation.models.suggestions import Suggestion
from annotation.models.training import KeyAnswer
from annotation.models.upkeep import Backup, ErasureDoor

__all__ = [
    "AccountName",
    "AnnotationEvent",
    "Assignment",
    "Backup",
    "Claim",
    "Codebook",
    "Comment",
    "ErasureDoor",
    "Import",
    "Invitation",
    "Item",
    "KeyAnswer",
    "MatchReference",
    "Membership",
    "Project",
    "ProjectEvent",
    "Protocol",
    "Question",
    "QuestionAnnotation",
    "ReferenceLeftOut",
    "Resolution",
    "Round",
    "RoundItem",
    "RoundProgress",
    "RoundQuestion",
    "Suggestion",
    "TypeAnnotation",
    "Upload",
]
