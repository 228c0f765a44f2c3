"""Types of the protocol: content. Made by ``tests/schema/generate.py``."""

from typing import Annotated, Literal, NotRequired, TypedDict

from acp_server.schema.markers import ON_ERROR, SKIP_INVALID, Meta

Role = Literal["assistant", "user"]


class Annotations(TypedDict):
    """``Annotations`` of the schema."""

    audience: NotRequired[Annotated[list[Role] | None, ON_ERROR, SKIP_INVALID]]
    lastModified: NotRequired[Annotated[str | None, ON_ERROR]]
    priority: NotRequired[Annotated[float | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class TextContent(TypedDict):
    """``TextContent`` of the schema."""

    annotations: NotRequired[Annotated[Annotations | None, ON_ERROR]]
    text: str
    _meta: NotRequired[Meta]


class ImageContent(TypedDict):
    """``ImageContent`` of the schema."""

    annotations: NotRequired[Annotated[Annotations | None, ON_ERROR]]
    data: str
    mimeType: str
    uri: NotRequired[Annotated[str | None, ON_ERROR]]
    _meta: NotRequired[Meta]


class AudioContent(TypedDict):
    """``AudioContent`` of the schema."""

    annotations: NotRequired[Annotated[Annotations | None, ON_ERROR]]
    data: str
    mimeType: str
    _meta: NotRequired[Meta]


class ResourceLink(TypedDict):
    """``ResourceLink`` of the schema."""

    annotations: NotRequired[Annotated[Annotations | None, ON_ERROR]]
    description: NotRequired[Annotated[str | None, ON_ERROR]]
    mimeType: NotRequired[Annotated[str | None, ON_ERROR]]
    name: str
    size: NotRequired[Annotated[int | None, ON_ERROR]]
    title: NotRequired[Annotated[str | None, ON_ERROR]]
    uri: str
    _meta: NotRequired[Meta]


class TextResourceContents(TypedDict):
    """``TextResourceContents`` of the schema."""

    mimeType: NotRequired[Annotated[str | None, ON_ERROR]]
    text: str
    uri: str
    _meta: NotRequired[Meta]


class BlobResourceContents(TypedDict):
    """``BlobResourceContents`` of the schema."""

    blob: str
    mimeType: NotRequired[Annotated[str | None, ON_ERROR]]
    uri: str
    _meta: NotRequired[Meta]


EmbeddedResourceResource = TextResourceContents | BlobResourceContents


class EmbeddedResource(TypedDict):
    """``EmbeddedResource`` of the schema."""

    annotations: NotRequired[Annotated[Annotations | None, ON_ERROR]]
    resource: EmbeddedResourceResource
    _meta: NotRequired[Meta]


class TextContentBlock(TextContent, TypedDict):
    """One kind of ``ContentBlock``: ``text``."""

    type: Literal["text"]


class ImageContentBlock(ImageContent, TypedDict):
    """One kind of ``ContentBlock``: ``image``."""

    type: Literal["image"]


class AudioContentBlock(AudioContent, TypedDict):
    """One kind of ``ContentBlock``: ``audio``."""

    type: Literal["audio"]


class ResourceLinkContentBlock(ResourceLink, TypedDict):
    """One kind of ``ContentBlock``: ``resource_link``."""

    type: Literal["resource_link"]


class ResourceContentBlock(EmbeddedResource, TypedDict):
    """One kind of ``ContentBlock``: ``resource``."""

    type: Literal["resource"]


ContentBlock = (
    TextContentBlock
    | ImageContentBlock
    | AudioContentBlock
    | ResourceLinkContentBlock
    | ResourceContentBlock
)
