"""The API of projects and rounds: each view checks who asks, calls one use case, and shows its result."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import access
from annotation.models import Membership, Project, Round
from annotation.projects.projects import project_create
from annotation.rounds.lifecycle import round_close, round_create, round_reopen
from annotation.rounds.sampling import STRATA
from annotation.rounds.suggestions import SuggestionChoice
from annotation.tasks import round_draw_or_send, round_open_or_send
from core.api import ExactCharField, RefusalSerializer
from core.errors import Refused

REFUSALS = {
    403: OpenApiResponse(RefusalSerializer, "Not logged in (`not_authenticated`) or not allowed."),
    404: OpenApiResponse(RefusalSerializer, "No such thing in what you may see."),
    409: OpenApiResponse(RefusalSerializer, "The state forbids it, or a stale revision (with `row`)."),
    422: OpenApiResponse(RefusalSerializer, "A rule is broken: one message a field in `errors`."),
}


class ProjectSerializer(serializers.ModelSerializer[Any]):
    class Meta:
        model = Project
        fields = ["slug", "name", "protocol", "licence", "languages", "contact"]


class RoundSerializer(serializers.ModelSerializer[Any]):
    guideline_version = serializers.IntegerField(source="codebook.version")
    opening = serializers.BooleanField(source="is_opening", read_only=True)
    drawing = serializers.BooleanField(source="is_drawing", read_only=True)
    suggestions = serializers.CharField(
        read_only=True, help_text="Where they are shown: half, all, or empty."
    )
    types = serializers.ListField(
        source="type_codes", child=serializers.CharField(), help_text="Those that the round asks."
    )

    class Meta:
        model = Round
        fields = [
            "number",
            "name",
            "purpose",
            "status",
            "opening",
            "drawing",
            "matching",
            "suggestions",
            "suggestion_run",
            "overlap",
            "order",
            "shuffled",
            "seed",
            "imported",
            "pass_mark",
            "repeats",
            "live_agreement",
            "content_warning",
            "due_on",
            "paused_at",
            "guideline_version",
            "types",
            "opened_at",
            "closed_at",
        ]


class MemberView(APIView):
    """A view below a project: knows the asking member, and refuses everybody else."""

    def member(self, request: Request, slug: str, *, lead: bool = False) -> Membership:
        member = access.member_or_404(request.user, slug)
        if lead:
            access.require_lead(member)
        return member


class ProjectListApi(APIView):
    @extend_schema_serializer(component_name="ProjectListInput")
    class InputSerializer(serializers.Serializer[Any]):
        slug = serializers.CharField(max_length=80)
        name = serializers.CharField(required=False, default="")
        codebook = serializers.ChoiceField(
            ["focus", "cqs_gen", "context_sufficiency"], help_text="A shipped codebook."
        )
        annotates = serializers.BooleanField(default=False, help_text="Whether you annotate in it too.")

    @extend_schema(responses=ProjectSerializer(many=True), operation_id="projects_list")
    def get(self, request: Request) -> Response:
        """List the projects you take part in."""
        own = Membership.objects.filter(user=request.user.pk, is_active=True)
        projects = Project.objects.filter(memberships__in=own)
        return Response(ProjectSerializer(projects, many=True).data)

    @extend_schema(request=InputSerializer, responses={201: ProjectSerializer, **REFUSALS})
    def post(self, request: Request) -> Response:
        """Create a project from a shipped codebook and become its lead."""
        access.require_may_make_projects(request.user)
        given = validated(self.InputSerializer, request)
        project = project_create(user=request.user, **given)
        return Response(ProjectSerializer(project).data, status=status.HTTP_201_CREATED)


class ProjectApi(MemberView):
    @extend_schema(responses={200: ProjectSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Show a project."""
        return Response(ProjectSerializer(self.member(request, slug).project).data)


class RoundListApi(MemberView):
    @extend_schema_serializer(component_name="RoundListInput")
    class InputSerializer(serializers.Serializer[Any]):
        name = serializers.CharField(required=False, default="")
        purpose = serializers.ChoiceField(Round.Purpose.choices, default=Round.Purpose.CALIBRATION)
        overlap = serializers.IntegerField(min_value=1, max_value=1000, default=2)
        order = serializers.ChoiceField(Round.Order.choices, default=Round.Order.BY_ARGUMENT)
        shuffled = serializers.BooleanField(default=False)
        seed = serializers.IntegerField(default=0, min_value=-(2**63), max_value=2**63 - 1)
        content_warning = serializers.CharField(required=False, default="", allow_blank=True)
        live_agreement = serializers.BooleanField(default=False)
        due_on = serializers.DateField(required=False, allow_null=True, default=None)
        pass_mark = serializers.IntegerField(
            min_value=0, max_value=100, required=False, allow_null=True, default=None
        )
        repeats = serializers.IntegerField(
            min_value=0,
            max_value=100,
            default=0,
            help_text="How many of their own texts each annotator meets again, unmarked.",
        )
        types = serializers.ListField(
            child=serializers.CharField(),
            required=False,
            allow_null=True,
            default=None,
            help_text="Codes of the types to ask; all of the codebook where absent.",
        )
        items_of = serializers.IntegerField(
            min_value=1,
            required=False,
            allow_null=True,
            default=None,
            help_text="Number of the round whose items are drawn; nothing is drawn where absent.",
        )

    @extend_schema(responses={200: RoundSerializer(many=True), **REFUSALS}, operation_id="rounds_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the rounds of a project; annotators see no drafts."""
        member = self.member(request, slug)
        rounds = member.project.rounds.select_related("codebook")
        if not member.is_lead:
            rounds = rounds.exclude(status=Round.Status.DRAFT)
        return Response(RoundSerializer(rounds, many=True).data)

    @extend_schema(request=InputSerializer, responses={201: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Create a draft round on the newest codebook."""
        member = self.member(request, slug, lead=True)
        given = validated(self.InputSerializer, request)
        number = given.pop("items_of")
        earlier = None if number is None else access.round_or_404(member, number)
        created = round_create(project=member.project, member=member, **given)
        if earlier is not None:
            round_draw_or_send(created, member=member, items_of=earlier)
        return Response(RoundSerializer(created).data, status=status.HTTP_201_CREATED)


class RoundDrawApi(MemberView):
    @extend_schema_serializer(component_name="RoundDrawInput")
    class InputSerializer(serializers.Serializer[Any]):
        size = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
        questions = serializers.IntegerField(min_value=1, required=False, allow_null=True, default=None)
        stratify_by = serializers.ChoiceField(["", *STRATA], default="")
        external_ids = serializers.ListField(
            child=ExactCharField(), required=False, allow_null=True, default=None
        )
        exclude_drawn = serializers.BooleanField(default=False)
        include_filtered = serializers.BooleanField(
            default=False, help_text="Also items that a context filter marked as filtered."
        )

    @extend_schema(request=InputSerializer, responses={200: dict[str, int], **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Draw items into a draft: all, a seeded sample, or by their ids. It is `drawing` for a while."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        drawn = round_draw_or_send(found, member=member, **validated(self.InputSerializer, request))
        return Response({"items": drawn})


class SuggestionChoiceSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="The number of a run.")
    shown = serializers.ChoiceField(
        [("half", "half of the units, at random"), ("all", "all units")], default="half"
    )


class RoundOpenApi(MemberView):
    @extend_schema_serializer(component_name="RoundOpenInput")
    class InputSerializer(serializers.Serializer[Any]):
        annotators = serializers.ListField(
            child=serializers.CharField(),
            required=False,
            allow_null=True,
            default=None,
            help_text="Pseudonyms of those who take part; every active annotator where absent.",
        )
        suggestions = SuggestionChoiceSerializer(
            required=False,
            allow_null=True,
            default=None,
            help_text="Show annotators what a run of the assistants answered: in training and main rounds.",
        )

    @extend_schema(request=InputSerializer, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Open a drawn round: its items are shared out and frozen. A large one is `opening` for a while."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        given = validated(self.InputSerializer, request)
        pseudonyms, chosen = given["annotators"], given["suggestions"]
        members = None
        if pseudonyms is not None:
            members = list(
                member.project.memberships.filter(pseudonym__in=pseudonyms, is_annotator=True, is_active=True)
            )
            unknown = sorted(set(pseudonyms) - {found_member.pseudonym for found_member in members})
            if unknown:
                raise Refused(
                    "invalid",
                    gettext("These are not active annotators of the project: %(unknown)s.")
                    % {"unknown": ", ".join(unknown)},
                )
        opened = round_open_or_send(
            found,
            members=members,
            by=member,
            suggestions=SuggestionChoice(chosen["run"], Round.Shown(chosen["shown"])) if chosen else None,
        )
        return Response(RoundSerializer(opened).data)


class RoundCloseApi(MemberView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Close an open round for good; its agreement report is computed."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        return Response(RoundSerializer(round_close(found, by=member)).data)


class RoundReopenApi(MemberView):
    @extend_schema_serializer(component_name="RoundReopenInput")
    class InputSerializer(serializers.Serializer[Any]):
        why = serializers.CharField()

    @extend_schema(request=InputSerializer, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Reopen a closed round; judgements made from then on are marked and enter no coefficient."""
        member = self.member(request, slug, lead=True)
        found = access.round_or_404(member, number)
        why = validated(self.InputSerializer, request)["why"]
        return Response(RoundSerializer(round_reopen(found, why=why, by=member)).data)


def validated(serializer_class: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the fields of a request. Raises ValidationError, one message a field."""
    serializer = serializer_class(data=request.data)
    serializer.is_valid(raise_exception=True)
    found: dict[str, Any] = serializer.validated_data
    return found
