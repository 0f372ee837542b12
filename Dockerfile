# Footprint as an image, for amd64 and arm64: docker build -t footprint .
# All packages are those of package-lock.json. The finished image has no shell, no npm and no build tools.

# The Node of package.json; a test compares them.
ARG NODE=24.21.0

FROM node:${NODE}-trixie-slim AS packages
WORKDIR /app
# npm wants to see every workspace before it installs for one.
COPY package.json package-lock.json ./
COPY bench/package.json bench/
COPY client/package.json client/
COPY contract/package.json contract/
COPY e2e/package.json e2e/
COPY server/package.json server/
COPY shop/package.json shop/
COPY web/package.json web/

FROM packages AS panel
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace contract --workspace web
COPY scripts scripts
COPY tsconfig.base.json ./
COPY contract contract
COPY web web
# Where the panel calls another host than the one it came from.
ARG API_HOST=
RUN node scripts/build.mjs

FROM packages AS program
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev --workspace contract --workspace server \
  && rm -r bench client e2e shop && mkdir /folders /folders/data /folders/backups
COPY contract contract
COPY server server
COPY --from=panel /app/web/dist web/dist

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=program /usr/local/bin/node /usr/local/bin/node
COPY --from=program /app /app
# 65532 is this image's account; whatever else there is belongs to root, and nothing writes to it.
COPY --from=program --chown=65532:65532 /folders /
WORKDIR /app
USER 65532:65532
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data BACKUP_DIR=/backups
VOLUME ["/data", "/backups"]
EXPOSE 7400
# Is it alive? Whether it should get calls, which depends on the database too, a proxy asks at /readyz.
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 7400}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "server/main.ts"]
