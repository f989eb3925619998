# FusionLab in a container: docker build -t fusionlab . && docker run --rm -p 8501:8501 fusionlab
# Runs without root and without network, and with --read-only --tmpfs /tmp.

FROM python:3.11-slim-bookworm AS build
RUN python -m venv /opt/venv
WORKDIR /src
# Dependencies first: this layer is rebuilt only when a requirement changes. A machine that needs
# its own pip settings passes them as a secret (--secret id=pipconf,src=…); they stay out of the image.
COPY requirements.txt requirements-redis.txt constraints.txt ./
RUN --mount=type=secret,id=pipconf,target=/etc/pip.conf \
    /opt/venv/bin/pip install --no-cache-dir -r requirements.txt -r requirements-redis.txt -c constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY fusionlab fusionlab
RUN --mount=type=secret,id=pipconf,target=/etc/pip.conf \
    /opt/venv/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim-bookworm
# tini is process 1: it hands on signals, collects ended children, and counts the end that was asked
# for (143) as success. libgomp runs the kernels that use more than one core.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 tini \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 /data
COPY --from=build /opt/venv /opt/venv
WORKDIR /app
COPY .streamlit .streamlit
COPY app.py ./
COPY pages pages

# Everything that is written goes below /tmp. Compiled kernels too: they are tuned to the processor
# that they run on, so none are baked into the image; keep them by mounting a volume there.
# Classrooms can have a volume at /data (FUSIONLAB_DATA=/data).
ENV PATH=/opt/venv/bin:$PATH \
    HOME=/tmp \
    NUMBA_CACHE_DIR=/tmp/numba-cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["tini", "-e", "143", "--"]
CMD ["streamlit", "run", "app.py"]
