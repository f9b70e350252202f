# Holdfast on standard input and output, for the repository that is mounted at /repository:
#   docker build --tag holdfast .
#   docker run --rm --interactive --volume "$PWD:/repository" --user "$(id -u):$(id -g)" holdfast
# There is no health check: a server on standard input has nobody to ask, and its end is the end of the container.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE CHANGELOG.md requirements.lock ./
COPY packaging packaging
COPY src src
RUN sed -e '/--hash=/d' -e 's/ \\$//' requirements.lock > /tmp/versions.txt
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .
RUN python -m venv /opt/holdfast
RUN /opt/holdfast/bin/pip install --no-cache-dir --constraint /tmp/versions.txt /wheels/*.whl

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system --add safe.directory /repository \
    && useradd --create-home --uid 1000 holdfast \
    && install --directory --owner holdfast /repository
COPY --from=build /opt/holdfast /opt/holdfast
ENV PATH=/opt/holdfast/bin:$PATH HOLDFAST_ROOT=/repository
USER holdfast
WORKDIR /repository
EXPOSE 8765
ENTRYPOINT ["holdfast"]
CMD ["serve"]
