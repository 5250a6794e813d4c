import os
import pika


class Publisher:
    HOST = os.getenv('AMQP_HOST', 'rabbitmq')
