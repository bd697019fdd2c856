"""What is stored about the work itself: who judges what, under which rules."""

from annotation.models.annotations import QuestionAnnotation, TypeAnnotation
from annotation.models.codebooks import Codebook
from annotation.models.events import AnnotationEvent
from annotation.models.items import Import, Item, Question
from annotation.models.project import Membership, Project, ProjectEvent, Protocol
from annotation.models.resolutions import Resolution
from annotation.models.rounds import Assignment, Round, RoundItem, RoundQuestion

__all__ = [
    "AnnotationEvent",
    "Assignment",
    "Codebook",
    "Import",
    "Item",
    "Membership",
    "Project",
    "ProjectEvent",
    "Protocol",
    "Question",
    "QuestionAnnotation",
    "Resolution",
    "Round",
    "RoundItem",
    "RoundQuestion",
    "TypeAnnotation",
]
