# docker build -t source-ai-billing:dev .
#
# Only the base image depends on the machine's architecture: the bundle is plain JavaScript. A release gives the base image by its
# digest, which is the same for both architectures.
ARG BASE=node:26-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The install scripts stay out: they would build the bundle before its sources are here, and fetch files for tests.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY spec.json ./
COPY scripts scripts
COPY cli cli
COPY src src
COPY conform conform
COPY verify verify
RUN node scripts/build.ts

FROM ${BASE}

# The platform runs connectors as the user `airbyte`, id 1000. The base image has this id under another name.
RUN groupmod --new-name airbyte node \
 && usermod --login airbyte --home /airbyte --comment "" node \
 && rm -rf /home/node \
 && mkdir /airbyte \
 && chown airbyte:airbyte /airbyte

# The link spares the launcher a look at the version of the Node on PATH, which takes 4 ms.
RUN mkdir -p /usr/local/lib/source-ai-billing/node_modules/.bin \
 && ln -s /usr/local/bin/node /usr/local/lib/source-ai-billing/node_modules/.bin/node
COPY bin/source-ai-billing /usr/local/lib/source-ai-billing/bin/
COPY --from=build /build/dist /usr/local/lib/source-ai-billing/dist

# Half of the container's memory is for the heap. The other half is for the pages in flight, which lie outside of the heap.
# The launcher sets the other limits.
ENV NODE_ENV=production \
    NODE_OPTIONS="--max-old-space-size-percentage=50" \
    NODE_COMPILE_CACHE=/airbyte/.cache/compiled \
    TZ=UTC \
    AIRBYTE_ENTRYPOINT=/usr/local/lib/source-ai-billing/bin/source-ai-billing

LABEL io.airbyte.name=source-ai-billing \
      io.airbyte.version=0.2.0 \
      org.opencontainers.image.title="AI Billing" \
      org.opencontainers.image.licenses=MIT

USER airbyte
WORKDIR /airbyte
# Fills the cache of compiled code as the user who reads it; a platform may run the image with a read-only root. The check of
# an empty configuration fails, but loads all that every command loads.
RUN "$AIRBYTE_ENTRYPOINT" spec > /dev/null \
 && echo '{}' > /tmp/config.json \
 && "$AIRBYTE_ENTRYPOINT" check --config /tmp/config.json > /dev/null \
 && rm /tmp/config.json
ENTRYPOINT ["/usr/local/lib/source-ai-billing/bin/source-ai-billing"]
