import json
import os
import random
import socket

from flask import Flask, g, make_response, request
from redis import Redis

option_a = os.getenv("OPTION_A", "Tea")
option_b = os.getenv("OPTION_B", "Coffee")
hostname = socket.gethostname()

app = Flask(__name__)


def get_redis():
    if not hasattr(g, "redis"):
        g.redis = Redis(host="redis", db=0, socket_timeout=5)
    return g.redis


@app.route("/", methods=["POST", "GET"])
def hello():
    voter_id = request.cookies.get("voter_id") or hex(random.getrandbits(64))[2:-1]
    if request.method == "POST":
        vote = request.form["vote"]
        get_redis().rpush("votes", json.dumps({"voter_id": voter_id, "vote": vote}))
    resp = make_response(f"{option_a} or {option_b}? asked at {hostname}\n")
    resp.set_cookie("voter_id", voter_id)
    return resp
