# One image for web, worker and beat; docker-compose.yml says which runs what.
ARG PYTHON_IMAGE=python:3.12-slim
FROM ${PYTHON_IMAGE}

ENV PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    ELENCHUS_DATA=/data

RUN useradd --system --home-dir /app --uid 10001 elenchus \
    && install --directory --owner elenchus /app /data
WORKDIR /app

COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY --chown=elenchus . .
USER elenchus

# Static files need no secret, host or server: these values end with this line.
RUN ELENCHUS_SECRET_KEY=abcdefghij-only-for-collecting-static-files-0123456789 ELENCHUS_HOSTS=localhost \
    DATABASE_URL=postgres://localhost/unused CELERY_BROKER_URL=redis://localhost/0 \
    python manage.py collectstatic --noinput -v 0

VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "config.web_server", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", \
     "--workers", "2", "--blocking-threads", "4", "--http", "1", "--no-ws", \
     "--respawn-failed-workers", "--workers-max-rss", "900", "--workers-kill-timeout", "30", \
     "config.wsgi:application"]
