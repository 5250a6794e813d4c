class Controller {
    private String url = String.format("http://%s/shipping/", getenv("CART_ENDPOINT", "cart"));
}
