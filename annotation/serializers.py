"""Fields that leave texts alone, and the shape of a refusal."""

from rest_framework import serializers


class ExactCharField(serializers.CharField):
    """A text as it was sent: nothing trimmed, blanks allowed."""

    def __init__(self, **kwargs) -> None:
        super().__init__(trim_whitespace=False, allow_blank=True, **kwargs)


class RefusalSerializer(serializers.Serializer):
    """What every refused request is answered with."""

    code = serializers.CharField(help_text="A stable word for programs.")
    message = serializers.CharField(help_text="What to do, for a person.")
    errors = serializers.DictField(  # type: ignore[assignment]  # the field hides a property of the class
        child=serializers.CharField(), required=False
    )
    row = serializers.DictField(required=False, help_text="The stored judgement, with stale_revision.")
