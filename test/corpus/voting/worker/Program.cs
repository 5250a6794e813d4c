namespace Worker
{
    public class Program
    {
        public static int Main(string[] args)
        {
            var pgsql = OpenDbConnection("Server=db;Username=postgres;Password=postgres;");
            var redisConn = OpenRedisConnection("redis");
            while (true) Move(redisConn, pgsql);
        }
    }
}
