# Stand-ins for the images in docker-compose.yml and Dockerfile, for machines that cannot reach an image registry.
# Each has the tag, the users and the interface of the image that it replaces. Its programs come from Debian, from
# this machine or from source.
ARG BASE
FROM ${BASE} AS node
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY certificates.crt /usr/local/share/certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && \
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
ARG NPM_REGISTRY
ENV NODE_EXTRA_CA_CERTS=/usr/local/share/certificates.crt NPM_CONFIG_REGISTRY=${NPM_REGISTRY}
CMD ["node"]

FROM ${BASE} AS postgres
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql && rm -rf /var/lib/postgresql/* && \
  chmod 3777 /var/run/postgresql
ENV PATH=/usr/lib/postgresql/17/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY postgres-entrypoint.sh /
CMD ["sh", "/postgres-entrypoint.sh"]

FROM ${BASE} AS redis
RUN apt-get update && apt-get install --yes --no-install-recommends redis-server && \
  mkdir -p /data && chown redis:redis /data
WORKDIR /data

FROM ${BASE} AS mailpit
COPY mailpit /mailpit
ENTRYPOINT ["/mailpit"]
