"""A webhook receiver of the Python SDK in Flask, served by Waitress: 204 for an event, 400 for what the SDK refuses."""

import sys

from cloudevents.core.bindings.http import HTTPMessage, from_http_event
from flask import Flask, request
from waitress import serve

app = Flask(__name__)


@app.post("/")
def receive():
    try:
        event = from_http_event(HTTPMessage(dict(request.headers), request.get_data()))
    except Exception as refused:
        return str(refused), 400
    print(event.get_id(), flush=True)
    return "", 204


serve(app, host="127.0.0.1", port=int(sys.argv[1]))
