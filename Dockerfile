# docker build -t source-ai-billing:dev .
#
# Nothing here depends on the machine's architecture but the base image: what is copied is one bundle of JavaScript.

FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Without scripts: they would build the bundle before its sources are there, and fetch what only tests need.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY spec.json ./
COPY scripts scripts
COPY src src
RUN node scripts/build.ts

FROM node:26-slim

# The platform runs connectors as this user; the base image has the same id under another name.
RUN groupmod --new-name airbyte node \
 && usermod --login airbyte --home /airbyte --comment "" node \
 && rm -rf /home/node \
 && mkdir /airbyte \
 && chown airbyte:airbyte /airbyte

COPY bin/source-ai-billing /usr/local/lib/source-ai-billing/bin/
COPY --from=build /build/dist /usr/local/lib/source-ai-billing/dist

# The heap follows the memory that the container may use: half of it for what lives long, for pages under way lie outside
# of the heap. The launcher sets the other limits.
ENV NODE_ENV=production \
    NODE_OPTIONS="--max-old-space-size-percentage=50" \
    TZ=UTC \
    AIRBYTE_ENTRYPOINT=/usr/local/lib/source-ai-billing/bin/source-ai-billing

LABEL io.airbyte.name=source-ai-billing \
      io.airbyte.version=0.1.0 \
      org.opencontainers.image.title="AI Billing" \
      org.opencontainers.image.licenses=MIT

USER airbyte
WORKDIR /airbyte
ENTRYPOINT ["/usr/local/lib/source-ai-billing/bin/source-ai-billing"]
