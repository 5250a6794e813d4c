vcl 4.1;
import std;
# The minimal Varnish version is 6.0
backend default {
    .host = "app";
    .port = "8000";
    .first_byte_timeout = 600s;
    .probe = { .url = "/health_check.php"; .timeout = 2s; .interval = 5s; .window = 10; .threshold = 5; }
}
acl purge { "localhost"; "phpfpm"; }
sub vcl_recv {
    if (req.method == "PURGE") { if (!client.ip ~ purge) { return (synth(405)); } return (purge); }
    return (hash);
}
