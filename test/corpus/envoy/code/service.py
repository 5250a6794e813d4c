import os
from aiohttp import web

routes = web.RouteTableDef()


@routes.get("/service/{service_number}")
async def get(request):
    return web.Response(text=f"Hello from behind Envoy {os.environ['SERVICE_NAME']}!\n")


app = web.Application()
app.add_routes(routes)
web.run_app(app, host="0.0.0.0", port=8080)
