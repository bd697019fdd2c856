"""What is stored about the work itself: who judges what, under which rules."""

from annotation.models.accounts import AccountName
from annotation.models.annotations import QuestionAnnotation, TypeAnnotation
from annotation.models.codebooks import Codebook
from annotation.models.discussion import Claim, Comment
from annotation.models.events import AnnotationEvent
from annotation.models.invitations import Invitation
from annotation.models.items import Import, Item, Question
from annotation.models.project import Membership, Project, ProjectEvent, Protocol
from annotation.models.resolutions import Resolution
from annotation.models.rounds import Assignment, Round, RoundItem, RoundProgress, RoundQuestion
from annotation.models.training import KeyAnswer
from annotation.models.uploads import Upload

__all__ = [
    "AccountName",
    "AnnotationEvent",
    "Assignment",
    "Claim",
    "Codebook",
    "Comment",
    "Import",
    "Invitation",
    "Item",
    "KeyAnswer",
    "Membership",
    "Project",
    "ProjectEvent",
    "Protocol",
    "Question",
    "QuestionAnnotation",
    "Resolution",
    "Round",
    "RoundItem",
    "RoundProgress",
    "RoundQuestion",
    "TypeAnnotation",
    "Upload",
]
